import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { reportSale } from '../../src/payments/report-sale.ts';
import { customerSaleInput } from '../../src/payments/resources/sale-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { type Arrivals, describeStories, facts, leadWith, MIA, MIA_AT_STRIPE, ONE_SALE } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import type { EndState } from '../helpers/end-state.ts';
import { applyFacts, hints, identified, received, referenced } from '../helpers/facts.ts';
import { createReferrer, unique } from '../helpers/story.ts';

const partner = { discountCodes: ['ANA20'] };
const CUSTOMER = { processorCustomerId: 'cus_mia' };
const SALE = { ...ONE_SALE.sales[0], refundedAmount: 0, reversedCommissionAmount: 0 } as EndState['sales'][number];

/** Sales of 100.00 net, each with a commission of 20.00. */
function salesTo(customer: string | null, count: number) {
  const sales = Array(count).fill({ ...SALE, customer });
  return { ...ONE_SALE, sales, owed: count * 2_000 };
}

const trial = facts(identified(hints(MIA_AT_STRIPE), { discountCodes: ['unknown', 'ana20'] }));
const trialOfMia = facts(identified(hints({ ...MIA_AT_STRIPE, ...MIA }), { discountCodes: ['ANA20'] }));
const first = facts(received(['in_1'], hints(MIA_AT_STRIPE)));
const renewal = facts(received(['in_2'], hints(MIA_AT_STRIPE), { recurring: true }));

/** The caller's backend also reports the payment, by default without its processor. */
const order: Arrivals[string] = async ({ service }, { accountId }) => {
  const body = { customerExternalId: 'mia', amount: 10_000, invoiceId: 'in_1' };
  await reportSale(service, accountId, parseInput(customerSaleInput, body)).catch(({ code }) => {
    expect(code).toBe('DUPLICATE_INVOICE');
  });
};

describeStories({
  'a code given at a trial, of a subscription whose payments have none': {
    partner,
    arrivals: { trial, first, renewal },
    ends: salesTo(null, 2),
  },
  'a code given to a customer, whose payments have none': {
    partner,
    arrivals: { given: facts(identified(hints(CUSTOMER), { discountCodes: ['ANA20'] })), first, renewal },
    ends: salesTo(null, 2),
  },
  'a code given with a subscription only, whose payment becomes known by another report': {
    partner,
    arrivals: {
      given: facts(identified(hints({ subscriptionId: 'sub_mia' }), { discountCodes: ['ANA20'] })),
      session: facts(received(['pi_1'], hints(CUSTOMER))),
      invoice: facts(received(['in_1'], hints(MIA_AT_STRIPE))),
      joined: facts(referenced('in_1', 'pi_1')),
    },
    ends: salesTo(null, 1),
  },
  'a code given to a customer of the caller, who has no lead': {
    partner,
    arrivals: {
      given: facts(identified(hints({ ...MIA_AT_STRIPE, ...MIA }), { discountCodes: ['ANA20'] })),
      first: facts(received(['in_1'], hints({ ...MIA_AT_STRIPE, ...MIA }))),
    },
    ends: salesTo('mia', 1),
  },
  'a code given at the trial of a customer of the caller, whose payment names neither': {
    partner,
    arrivals: { trial: trialOfMia, first },
    ends: salesTo('mia', 1),
  },
  'the same, whose first payment the caller reports, too': {
    partner,
    arrivals: { trial: trialOfMia, order, first },
    ends: salesTo('mia', 1),
  },
  'the same trial, of whose customer a lead and the next payment tell, when only the first sale earns': {
    partner,
    program: { durationMonths: 0 },
    arrivals: { trial: trialOfMia, first, lead: leadWith({}), second: facts(received(['in_2'], hints(MIA))) },
    ends: {
      ...salesTo('mia', 2),
      sales: [0, 2_000].map((commissionAmount) => ({ ...SALE, commissionAmount })),
      owed: 2_000,
    },
  },
  'a code given at a trial, and a lead of the same partner': {
    partner,
    arrivals: { trial, lead: leadWith({}), first: facts(received(['in_1'], hints({ ...MIA_AT_STRIPE, ...MIA }))) },
    ends: salesTo('mia', 1),
  },
});

describe.each(engines)('codes given before a payment, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  const tell = (...all: Fact[]) => applyFacts(app.service, app.accountId, ...all);
  async function ownerOf(invoiceId: string) {
    const { body } = await app.call('GET', `/api/sales?invoiceId=${invoiceId}`);
    const { body: sale } = await app.call('GET', `/api/sales/${body.data[0]?.id}`);
    return { partnerId: sale.partnerId, matchedBy: sale.attribution?.matchedBy };
  }
  async function partnerWithCode() {
    const code = unique('CODE');
    return { ...(await createReferrer(app, { discountCodes: [code] })), code };
  }
  const given = (person: Parameters<typeof hints>[0], code: string, occurredAt = 0) =>
    identified(hints(person), { discountCodes: [code], occurredAt });

  it('belong to the subscription that they were given for', async () => {
    const [ana, ben] = [await partnerWithCode(), await partnerWithCode()];
    const [processorCustomerId, one, two] = [unique('cus'), unique('sub'), unique('sub')];
    const [invoice, plain] = [unique('in'), unique('in')];
    await tell(given({ processorCustomerId, subscriptionId: one }, ana.code));
    await tell(given({ processorCustomerId, subscriptionId: two }, ben.code));
    await tell(identified(hints({ processorCustomerId, subscriptionId: one })));
    expect(await tell(received([plain], hints({ processorCustomerId })))).toMatchObject({ outcome: 'unattributed' });
    await tell(received([invoice], hints({ processorCustomerId, subscriptionId: two })));
    expect(await ownerOf(invoice)).toEqual({ partnerId: ben.partnerId, matchedBy: 'discount_code' });
    // the customer is Ben's from here on, as after a payment with the code
    expect(await ownerOf(plain)).toEqual({ partnerId: ben.partnerId, matchedBy: 'processor_customer' });
  });

  it('come after the codes of the payment itself, and the one given first before later ones', async () => {
    const [ana, ben, zoe] = [await partnerWithCode(), await partnerWithCode(), await partnerWithCode()];
    for (const order of [
      [ana, ben],
      [ben, ana],
    ]) {
      const person = { subscriptionId: unique('sub') };
      const [own, none] = [unique('in'), unique('in')];
      const times = new Map([
        [ana, 1],
        [ben, 2],
      ]);
      for (const one of order) await tell(given(person, one.code, times.get(one)));
      await tell(received([none], hints(person)));
      expect(await ownerOf(none)).toMatchObject({ partnerId: ana.partnerId });
      const another = { subscriptionId: unique('sub') };
      await tell(given(another, ana.code));
      await tell(received([own], hints(another), { discountCodes: [zoe.code] }));
      expect(await ownerOf(own)).toMatchObject({ partnerId: zoe.partnerId });
    }
  });

  it('come after a lead, and move no sale', async () => {
    const [ana, ben] = [await partnerWithCode(), await partnerWithCode()];
    const [externalId, subscriptionId] = [unique('user'), unique('sub')];
    const [first, next] = [unique('in'), unique('in')];
    await ben.lead(externalId);
    await tell(given({ externalId, subscriptionId }, ana.code));
    await tell(received([first], hints({ subscriptionId, externalId })));
    await tell(given({ subscriptionId }, ana.code, 1));
    await tell(received([next], hints({ subscriptionId })));
    for (const invoice of [first, next]) expect(await ownerOf(invoice)).toMatchObject({ partnerId: ben.partnerId });
  });

  it('are in the trace with the id that they were given with', async () => {
    const ana = await partnerWithCode();
    const [subscriptionId, invoiceId] = [unique('sub'), unique('in')];
    await tell(given({ subscriptionId }, ana.code));
    await tell(received([invoiceId], hints({ subscriptionId })));
    const { body } = await app.call('GET', `/api/sales?invoiceId=${invoiceId}`);
    const { body: sale } = await app.call('GET', `/api/sales/${body.data[0].id}`);
    const reason = `a discount code given with the processor's subscription id: partner ${ana.partnerId}`;
    const step = { step: 'discount_code', value: ana.code, result: 'matched', reason };
    expect(sale.attribution.steps).toContainEqual(step);
  });
});
