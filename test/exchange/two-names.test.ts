import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCsv } from '../../src/exchange/import-csv.ts';
import { reportSale } from '../../src/payments/report-sale.ts';
import { customerSaleInput } from '../../src/payments/resources/sale-schemas.ts';
import { getPartner } from '../../src/programs/partners.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { facts, lead, leadWith, MIA, ONE_SALE, ordersOf } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { applyFacts, applyFactsOf, hints, identified, received, refunded } from '../helpers/facts.ts';
import { rounds } from '../helpers/rounds.ts';

const HEADING =
  'ID,Affiliate,Commission,Currency,State,Date,Customer,Sale amount,Gross amount,Invoice,Charge,Processor';
const ROW = 'c1,PARTNER,20.00,USD,due,2026-11-01,mia,100.00,120.00,in_1,ch_1,stripe';
/** The same commission, as a service states it that knows nothing of the sale. */
const ROW_WITHOUT_SALE = 'c1,PARTNER,20.00,USD,due,2026-11-01,,,,in_1,ch_1,stripe';
const BY_API = { customerExternalId: 'mia', amount: 10_000, invoiceId: 'in_1' };
/** 240.00. */
const RENEWAL = received(['in_2'], hints({ processorCustomerId: 'cus_mia' }), {
  recurring: true,
  grossMinor: 24_000,
  netMinor: 20_000,
  taxMinor: 4_000,
});
/** 60.00 of 120.00 went back, and with it half of the commission. */
const ENDS = (() => {
  const [sale] = ONE_SALE.sales;
  if (sale === undefined) throw new Error('There is no sale');
  const half = { ...sale, refundedAmount: 6_000, reversedCommissionAmount: 1_000 };
  const whole = {
    ...sale,
    amount: 20_000,
    grossAmount: 24_000,
    commissionAmount: 4_000,
    refundedAmount: 0,
    reversedCommissionAmount: 0,
  };
  return { ...ONE_SALE, sales: [half, whole], owed: 5_000 };
})();
const SEVERAL = /^Its ids name the sales sal_\w+ and sal_\w+ here: .*refund all but one of them in full/;
const INVOICE = received(['in_1'], hints(MIA));
const CHARGE = received(['ch_1'], hints({ processorCustomerId: 'cus_mia' }), { invoiceId: null });
const REFUND = refunded(['ch_1'], { refundId: 're_1', amountMinor: 3_000 });
const LATER_REFUND = refunded(['ch_1'], { refundId: 're_2', amountMinor: 3_000 });

describe.each(engines)('an imported sale that names an invoice and its charge, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => Date.UTC(2026, 10, 2) } });
  });
  afterAll(() => app.close());

  type Arrival = typeof lead;

  async function importRow({ accountId, partnerId }: ReferredAccount, row = ROW) {
    const { email } = await getPartner(app.service, accountId, partnerId);
    async function* file() {
      yield Buffer.from(`${HEADING}\n${row.replace('PARTNER', email)}\n`);
    }
    const target = { service: app.service, accountId, programId: null, origin: 'Rewardful' } as const;
    const options = { kind: 'commissions', columns: new Map(), isDryRun: false, reportPath: null } as const;
    return importCsv(target, { file: file(), ...options });
  }

  async function importAfter(...arrivals: Arrival[]) {
    const account = await createReferredAccount(app.service);
    for (const arrive of arrivals) await arrive(app, account);
    expect(await importRow(account)).toMatchObject({ refused: 0, problems: [] });
    return account.accountId;
  }
  const summaryOf = async (accountId: string) => {
    const { sales, owed, parked, ofSecondRecords } = await endStateOf(app.service, accountId as never);
    return {
      sales: sales.map(({ amount, refundedAmount }) => [amount, refundedAmount]),
      owed,
      parked,
      ofSecondRecords,
    };
  };

  it.each<[string, Arrival[]]>([
    ['the invoice and the charge wait', [facts(INVOICE), facts(CHARGE)]],
    ['the charge and the invoice wait', [facts(CHARGE), facts(INVOICE)]],
  ])('is one sale when %s', async (_, arrivals) => {
    const accountId = await importAfter(...arrivals);
    expect(await summaryOf(accountId)).toEqual({ sales: [[10_000, 0]], owed: 2_000, parked: 0, ofSecondRecords: 0 });
  });

  it.each<[string, Arrival[]]>([
    ['waits behind the invoice', [facts(INVOICE), facts(REFUND)]],
    ['waits before the invoice', [facts(REFUND), facts(INVOICE)]],
    ['waits for a sale by webhook', [lead, facts(INVOICE), facts(REFUND)]],
  ])('counts the refund of the charge that %s', async (_, arrivals) => {
    const accountId = await importAfter(...arrivals);
    expect(await summaryOf(accountId)).toEqual({
      sales: [[10_000, 3_000]],
      owed: 1_500,
      parked: 0,
      ofSecondRecords: 0,
    });
    await applyFacts(app.service, accountId, LATER_REFUND);
    expect(await summaryOf(accountId)).toEqual({
      sales: [[10_000, 6_000]],
      owed: 1_000,
      parked: 0,
      ofSecondRecords: 0,
    });
  });

  it('is refused while the invoice and the charge count as two sales, until one of them is refunded', async () => {
    const known = facts(identified(hints({ ...MIA, processorCustomerId: 'cus_mia' })));
    const account = await createReferredAccount(app.service);
    const { accountId } = account;
    for (const arrive of [lead, known, facts(INVOICE), facts(CHARGE)]) await arrive(app, account);
    const before = await endStateOf(app.service, accountId);
    const { problems } = await importRow(account);
    expect(problems).toEqual([expect.objectContaining({ reason: expect.stringMatching(SEVERAL) })]);
    expect(await endStateOf(app.service, accountId)).toEqual(before);
    await applyFacts(app.service, accountId, refunded(['ch_1'], { refundId: 're_all', amountMinor: 12_000 }));
    expect(await importRow(account)).toMatchObject({ refused: 0 });
    expect(await summaryOf(accountId)).toMatchObject({ owed: 2_000, parked: 0 });
    await applyFacts(app.service, accountId, refunded(['in_1'], { refundId: 're_some', amountMinor: 6_000 }));
    expect(await summaryOf(accountId)).toMatchObject({ owed: 1_000, parked: 0 });
  });

  it.each<[string, Arrival[]]>([
    ['before the import', [facts(CHARGE)]],
    ['with another report of it before the import', [facts(INVOICE), facts(CHARGE)]],
  ])('tells whose the customer of the processor is, who paid %s', async (_, arrivals) => {
    const accountId = await importAfter(...arrivals);
    const renewal = received(['in_2'], hints({ processorCustomerId: 'cus_mia' }), { recurring: true });
    expect(await applyFacts(app.service, accountId, renewal)).toMatchObject({ outcome: 'sale' });
  });

  it.each<[string, Arrival[]]>([
    ['before the import', [lead, facts(INVOICE), facts(REFUND)]],
    ['after the import', [lead, facts(INVOICE)]],
  ])('counts the refund of the charge %s, when the row names the payment of a sale only', async (_, arrivals) => {
    const account = await createReferredAccount(app.service);
    for (const arrive of arrivals) await arrive(app, account);
    expect(await importRow(account, ROW_WITHOUT_SALE)).toMatchObject({ refused: 0, problems: [] });
    await applyFacts(app.service, account.accountId, REFUND);
    const ends = { sales: [[10_000, 3_000]], owed: 1_500, parked: 0, ofSecondRecords: 0 };
    expect(await summaryOf(account.accountId)).toEqual(ends);
  });

  it('leaves the payment of another processor with the same id alone, also beside a payment without a processor', async () => {
    const account = await createReferredAccount(app.service);
    const { accountId } = account;
    await reportSale(app.service, accountId, parseInput(customerSaleInput, BY_API));
    await facts(CHARGE)(app, account);
    await applyFactsOf('paddle', app.service, accountId, { ...CHARGE, customer: hints({ externalId: 'zoe' }) });
    expect(await importRow(account, ROW.replace(',stripe', ','))).toMatchObject({ refused: 0, problems: [] });
    expect(await summaryOf(accountId)).toMatchObject({ sales: [[10_000, 0]], owed: 2_000, parked: 1 });
    await leadWith({ customerExternalId: 'zoe' })(app, account);
    expect(await summaryOf(accountId)).toMatchObject({ owed: 4_000, parked: 0 });
  });

  it.each([
    ['the processor', ROW],
    ['no processor', ROW.replace(',stripe', ',')],
    ['another processor', ROW.replace(',stripe', ',paddle')],
  ])('ends the same in any order, with any repetition, if it names %s', async (_, row) => {
    const arrivals: Record<string, (given: ReferredAccount) => Promise<unknown>> = {
      lead: (given) => lead(app, given),
      invoice: (given) => facts(INVOICE)(app, given),
      charge: (given) => facts(CHARGE)(app, given),
      refund: (given) => facts(REFUND)(app, given),
      'later refund': (given) => facts(LATER_REFUND)(app, given),
      renewal: (given) => facts(RENEWAL)(app, given),
      import: (given) => importRow(given, row),
    };
    await fc.assert(
      fc.asyncProperty(ordersOf(Object.keys(arrivals)), async (order) => {
        const account = await createReferredAccount(app.service);
        for (const name of order) await arrivals[name]?.(account);
        expect(await endStateOf(app.service, account.accountId)).toEqual(ENDS);
      }),
      { numRuns: engine === 'sqlite' ? rounds(100) : rounds(10) },
    );
  });

  it.each<[string, Arrival[]]>([
    ['waits', [facts(CHARGE)]],
    ['counts', [lead, facts(received(['ch_1'], hints(MIA), { invoiceId: null }))]],
  ])('counts once although it names another processor and only the charge, which %s', async (_, arrivals) => {
    const account = await createReferredAccount(app.service);
    for (const arrive of arrivals) await arrive(app, account);
    const row = ROW.replace(',in_1,ch_1,stripe', ',,ch_1,paddle');
    expect(await importRow(account, row)).toMatchObject({ refused: 0, problems: [] });
    await applyFacts(app.service, account.accountId, REFUND);
    const ends = { sales: [[10_000, 3_000]], owed: 1_500, parked: 0, ofSecondRecords: 0 };
    expect(await summaryOf(account.accountId)).toEqual(ends);
  });

  it('has the refund of its invoice although it names another processor, also once the charge was reported', async () => {
    const account = await createReferredAccount(app.service);
    expect(await importRow(account, ROW.replace(',stripe', ',paddle'))).toMatchObject({ refused: 0, problems: [] });
    await facts(CHARGE)(app, account);
    await applyFacts(app.service, account.accountId, { ...REFUND, references: ['in_1'] });
    const ends = { sales: [[10_000, 3_000]], owed: 1_500, parked: 0, ofSecondRecords: 0 };
    expect(await summaryOf(account.accountId)).toEqual(ends);
  });

  it('tells a sale by webhook the charge, so that its later refund counts', async () => {
    const accountId = await importAfter(lead, facts(INVOICE));
    await applyFacts(app.service, accountId, LATER_REFUND);
    expect(await summaryOf(accountId)).toEqual({
      sales: [[10_000, 3_000]],
      owed: 1_500,
      parked: 0,
      ofSecondRecords: 0,
    });
  });
});
