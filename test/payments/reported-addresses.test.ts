import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { type Arrivals, describeStories, facts, leadWith, MIA, ONE_SALE } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, hints, identified, received, referenced } from '../helpers/facts.ts';
import { createEndpoint, createReferrer, type Referrer, unique } from '../helpers/story.ts';

const CUSTOMER = { processorCustomerId: 'cus_mia' };
const ADDRESS = { email: 'mia@example.com' };
const SALE = { ...ONE_SALE.sales[0], refundedAmount: 0, reversedCommissionAmount: 0 };

/** Each first payment is worth 100.00 net. */
function salesOfMia(count: number) {
  return { ...ONE_SALE, sales: Array(count).fill(SALE), owed: count * 2_000 };
}

const address = facts(identified(hints({ ...CUSTOMER, ...ADDRESS })));
const leadWithAddress = leadWith({ customerEmail: 'Mia@example.com' });
const program = { emailMatching: true };

describeStories({
  'payments that name only a customer, whose address the processor reports by itself': {
    program,
    arrivals: {
      lead: leadWithAddress,
      address,
      payment: facts(received(['in_1'], hints(CUSTOMER))),
      renewal: facts(received(['in_2'], hints({ ...CUSTOMER, subscriptionId: 'sub_mia' }), { recurring: true })),
      another: facts(received(['in_3'], hints({ subscriptionId: 'sub_mia' }), { recurring: true })),
    },
    ends: salesOfMia(3),
  },
  'a payment reported twice and joined later, of which one report names such a customer': {
    program,
    arrivals: {
      lead: leadWithAddress,
      address,
      session: facts(received(['pi_1', 'cs_1'], hints({}))),
      invoice: facts(received(['in_1'], hints(CUSTOMER))),
      joined: facts(referenced('in_1', 'pi_1')),
    },
    ends: salesOfMia(1),
  },
  'a payment by an address that the processor reported of an id, which a second report links to its customer': {
    program,
    arrivals: {
      lead: leadWith({}),
      address,
      session: facts(received(['pi_1', 'cs_1'], hints(MIA))),
      invoice: facts(received(['in_1', 'pi_1'], hints(CUSTOMER))),
      guest: facts(received(['pi_2'], hints(ADDRESS))),
    },
    ends: salesOfMia(2),
  },
  'a payment by an address that a second report of another payment has': {
    program,
    arrivals: {
      lead: leadWith({}),
      session: facts(received(['pi_1', 'cs_1'], hints(MIA))),
      invoice: facts(received(['in_1', 'pi_1'], hints({ ...CUSTOMER, ...ADDRESS }))),
      guest: facts(received(['pi_2'], hints(ADDRESS))),
    },
    ends: salesOfMia(2),
  },
});

describe.each(engines)('an address that a processor reports beside its payments, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let email: string;
  let customer: string;
  let ids: { processorCustomerId: string };
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  beforeEach(async () => {
    email = `${unique('ada')}@example.com`;
    customer = unique('user');
    ids = { processorCustomerId: unique('cus') };
    referrer = await createReferrer(app, { email });
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { selfReferral: 'refuse' } });
  });
  afterAll(() => app.close());

  const tell = (...all: Fact[]) => applyFacts(app.service, app.accountId, ...all);
  const tellAddress = () => tell(identified(hints({ ...ids, email, name: 'Ada' })));
  const onlySale = async () => {
    const { body } = await app.call('GET', `/api/sales?partnerId=${referrer.partnerId}`);
    expect(body.data).toHaveLength(1);
    return body.data[0];
  };
  const REJECTED = { review: 'rejected', commissionAmount: 2000, reversedCommissionAmount: 2000 };

  describe("is the partner's own", () => {
    it('and the payment names a click', async () => {
      await tellAddress();
      await tell(received([unique('in')], hints({ ...ids, clickId: await referrer.click() })));
      expect(await onlySale()).toMatchObject({ ...REJECTED, customer: { externalId: null, email, name: 'Ada' } });
    });

    it('and the payment names a customer with a lead', async () => {
      await referrer.lead(customer);
      await tellAddress();
      await tell(received([unique('in')], hints({ ...ids, externalId: customer })));
      expect(await onlySale()).toMatchObject({ ...REJECTED, customer: { externalId: customer, email } });
    });

    it('and the lead comes last', async () => {
      await tellAddress();
      await tell(received([unique('in')], hints({ ...ids, externalId: customer })));
      await referrer.lead(customer);
      expect(await onlySale()).toMatchObject(REJECTED);
    });

    it('and the backend reports the parked payment as a sale', async () => {
      const invoiceId = unique('in');
      await tellAddress();
      await tell(received([invoiceId], hints(ids)));
      const sale = { clickId: await referrer.click(), customerExternalId: customer, amount: 10_000, invoiceId };
      const { status, body } = await app.call('POST', '/api/track/sale', { body: sale });
      expect([status, body.customer]).toEqual([200, { externalId: customer, email, name: 'Ada' }]);
      expect(await onlySale()).toMatchObject(REJECTED);
    });

    it("and Paddle reports it in an event of its own, before the payment's", async () => {
      const paddle = await createEndpoint(app, 'paddle');
      const customerId = unique('ctm_');
      await paddle.deliver(paddleEvent('customer.created', { id: customerId, email, name: 'Ada', custom_data: null }));
      const clickId = await referrer.click();
      const paid = paddleEvent('transaction.completed', paddlePayment(customerId, { svc_id: clickId }));
      expect((await paddle.deliver(paid)).body.outcome).toBe('sale');
      expect(await onlySale()).toMatchObject(REJECTED);
    });
  });

  it('matches no customer of a program without e-mail matching', async () => {
    await referrer.lead(customer, { customerEmail: email });
    await tellAddress();
    expect(await tell(received([unique('in')], hints(ids)))).toMatchObject({ outcome: 'unattributed' });
  });

  it('loses to an address of the payment itself', async () => {
    await tellAddress();
    const own = `${unique('bea')}@example.com`;
    await tell(received([unique('in')], hints({ ...ids, email: own, clickId: await referrer.click() })));
    expect(await onlySale()).toMatchObject({ review: null, customer: { email: own, name: 'Ada' } });
  });

  it('becomes that of the customer in any order', async () => {
    const arrivals: Arrivals = {
      lead: leadWith({}),
      address,
      session: facts(received(['pi_1', 'cs_1'], hints(MIA))),
      invoice: facts(received(['in_1', 'pi_1'], hints(CUSTOMER))),
    };
    for (const order of ordersOf(Object.keys(arrivals))) {
      const account = await createReferredAccount(app.service);
      const { accountId } = account;
      for (const name of order) await arrivals[name]?.(app, account);
      const found = await app.service.database.read((tx) =>
        tx.all('SELECT email, email_lower FROM customers WHERE account_id = @accountId', { accountId }),
      );
      expect([order, found]).toEqual([order, [{ email: ADDRESS.email, email_lower: ADDRESS.email }]]);
    }
  });
});

function ordersOf(names: readonly string[]): string[][] {
  if (names.length === 0) return [[]];
  return names.flatMap((first) => ordersOf(names.filter((name) => name !== first)).map((rest) => [first, ...rest]));
}

function paddleEvent(type: string, data: object) {
  return { event_id: unique('evt_'), event_type: type, occurred_at: '2026-11-01T00:00:00.000Z', data };
}

function paddlePayment(customerId: string, metadata: object) {
  const totals = { subtotal: '10000', discount: '0', tax: '0', total: '10000', grand_total: '10000' };
  return {
    id: unique('txn_'),
    origin: 'web',
    customer_id: customerId,
    subscription_id: null,
    discount_id: null,
    currency_code: 'USD',
    custom_data: metadata,
    items: [],
    details: { totals },
    payments: [],
  };
}
