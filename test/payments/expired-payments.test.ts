import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../src/core/facts.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { importCustomer } from '../../src/payments/imports/import-customer.ts';
import { importSale } from '../../src/payments/imports/import-sale.ts';
import { listSales } from '../../src/payments/lists/list-sales.ts';
import { attributeByHand, listParkedPayments } from '../../src/payments/parked-payments.ts';
import { parkedListQuery } from '../../src/payments/resources/parked-schemas.ts';
import { saleListQuery } from '../../src/payments/resources/sale-schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { lead } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { applyFacts, disputed, hints, identified, received, referenced, refunded } from '../helpers/facts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';

const PAYER = hints({ processorCustomerId: 'cus_1' });
const MIA = hints({ processorCustomerId: 'cus_1', externalId: 'mia' });
const payment = received(['in_1', 'ch_1'], PAYER);

/** What may arrive once the payment has expired and its customer is known. */
const LATER: Record<string, Fact[]> = {
  'the same payment': [payment],
  'the same payment, which names the customer now': [received(['in_1'], MIA)],
  'the same payment under a name that joins another': [received(['pi_1', 'in_1'], MIA)],
  'a reference that says who paid': [{ ...referenced('in_1', 'pi_1'), customer: MIA }],
  'an announcement of it': [{ ...received(['in_1'], MIA), kind: 'payment.announced' }],
  'an announcement under another name, and a reference': [
    { ...received(['pi_1'], MIA), kind: 'payment.announced' },
    referenced('in_1', 'pi_1'),
  ],
  'its capture': [
    { kind: 'payment.captured', references: ['in_1'], amountMinor: 12_000, currency: 'usd', occurredAt: 1 },
  ],
  'a reference alone': [referenced('in_1', 'pi_1')],
  'its customer': [identified(MIA)],
};
const MONEY_BACK = [
  refunded(['in_1'], { refundId: 're_1', amountMinor: 3_000 }),
  disputed(['ch_1'], 'du_1', 1_200, 'lost'),
];

describe.each(engines)('a parked payment that has expired, on %s', (engine) => {
  let app: TestApp;
  let account: ReferredAccount;
  let now = Date.UTC(2026, 10, 1);
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  beforeEach(async () => {
    account = await createReferredAccount(app.service, {}, { discountCodes: ['MIA20'] });
  });
  afterAll(() => app.close());

  const tell = (...facts: Fact[]) => applyFacts(app.service, account.accountId, ...facts);
  const afterDays = (days: number) => {
    now += days * DAY_MS;
  };
  const sales = async () => {
    await requireAgreement(app.service, account.accountId);
    const { data } = await listSales(app.service, account.accountId, parseInput(saleListQuery, {}));
    return data.map((sale) => [sale.invoiceId, sale.commissionAmount, sale.reversedCommissionAmount]);
  };
  const parked = async () =>
    (await listParkedPayments(app.service, account.accountId, parseInput(parkedListQuery, {}))).data;

  it.each(Object.keys(LATER))('earns nothing by later reports, only by hand: %s', async (name) => {
    const later = LATER[name] ?? [];
    for (const facts of [
      [...later, ...MONEY_BACK],
      [...MONEY_BACK, ...later],
      [...later, ...later, ...MONEY_BACK, ...later],
    ]) {
      account = await createReferredAccount(app.service);
      await tell(payment);
      afterDays(90);
      await lead(app, account);
      for (const fact of facts) await tell(fact);
      expect(await sales()).toEqual([]);

      const [one, ...others] = await parked();
      expect(others).toEqual([]);
      const input = { customerExternalId: 'mia', clickId: null, partnerId: null };
      await attributeByHand(app.service, account.accountId, one?.id ?? '', input);
      for (const fact of facts) await tell(fact);
      // 35 % of the payment went back
      expect(await sales()).toEqual([['in_1', 2_000, 700]]);
    }
  });

  it('earns nothing by a discount code that a later report names', async () => {
    await tell(payment);
    afterDays(90);
    expect(await tell({ ...payment, discountCodes: ['MIA20'] })).toMatchObject({ outcome: 'duplicate' });
    expect(await tell({ ...referenced('in_1'), discountCodes: ['MIA20'] })).toMatchObject({ outcome: 'noted' });
    expect(await sales()).toEqual([]);
  });

  it('lets other payments be found by what a later report says about its customer', async () => {
    await tell(payment);
    afterDays(50);
    await tell(received(['in_2'], PAYER));
    await lead(app, account);
    afterDays(40);
    await tell(received(['in_1'], MIA));
    expect(await sales()).toEqual([['in_2', 2_000, 0]]);
    await tell(received(['in_3'], PAYER));
    expect(await sales()).toHaveLength(2);
  });

  it('earns nothing by an import of its customer', async () => {
    await tell(payment);
    afterDays(90);
    const { partnerId, accountId } = account;
    const atProcessor = { processor: 'stripe', customerId: 'cus_1' } as const;
    await importCustomer(app.service, accountId, {
      externalId: 'mia',
      partnerId,
      email: null,
      name: null,
      atProcessor,
    });
    await tell(payment);
    expect(await sales()).toEqual([]);
    await tell(received(['in_2'], PAYER));
    expect(await sales()).toEqual([['in_2', 2_000, 0]]);
  });

  it('becomes the sale that an import states', async () => {
    await tell(payment);
    afterDays(90);
    const { partnerId, accountId } = account;
    const imported = {
      partnerId,
      customer: { externalId: 'mia', email: null, name: null, processorCustomerId: null },
      processor: 'stripe',
      invoiceId: 'in_1',
      references: [],
      eventName: 'Purchase',
      amountMinor: 10_000,
      grossMinor: 12_000,
      currency: 'usd',
      occurredAt: payment.occurredAt,
      earned: { commission: { amountMinor: 1_500, reason: 'earned elsewhere' }, availableAt: now, refundedMinor: 0 },
      origin: 'earned elsewhere',
    } as const;
    await app.service.database.write((tx) => importSale(tx, { accountId, now }, imported));
    expect(await sales()).toEqual([['in_1', 1_500, 0]]);
    expect(await tell(payment)).toMatchObject({ outcome: 'duplicate' });
    expect(await parked()).toEqual([]);
  });

  it('is still expired once it is merged with another record of it, whichever was stored first', async () => {
    for (const first of ['in_1', 'pi_1'] as const) {
      account = await createReferredAccount(app.service);
      // known by a reference, so that its record is the older one, but parked later
      if (first === 'pi_1') await tell(referenced('pi_1', 'ch_2'));
      await tell(received(['in_1'], PAYER));
      afterDays(50);
      await tell(received(['pi_1'], PAYER));
      afterDays(20);
      await tell(referenced('in_1', 'pi_1'));
      expect(await parked()).toHaveLength(1);
      afterDays(20);
      await lead(app, account);
      await tell(identified(MIA));
      expect(await sales()).toEqual([]);
    }
  });

  it('is attributed until the last moment before', async () => {
    await tell(payment);
    afterDays(90);
    now -= 1;
    await lead(app, account);
    await tell(received(['in_1'], MIA));
    expect(await sales()).toEqual([['in_1', 2_000, 0]]);
  });
});
