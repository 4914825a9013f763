import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCsv } from '../../src/exchange/import-csv.ts';
import { getPartner } from '../../src/programs/partners.ts';
import { createReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { facts, lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { applyFacts, hints, received, refunded } from '../helpers/facts.ts';

const HEADING =
  'ID,Affiliate,Commission,Currency,State,Date,Customer,Sale amount,Gross amount,Invoice,Charge,Processor';
const INVOICE = received(['in_1'], hints(MIA));
const CHARGE = received(['ch_1'], hints({ processorCustomerId: 'cus_mia' }), { invoiceId: null });
const REFUND = refunded(['ch_1'], { refundId: 're_1', amountMinor: 3_000 });
const LATER_REFUND = refunded(['ch_1'], { refundId: 're_2', amountMinor: 3_000 });

describe.each(engines)('an imported sale that names an invoice and its charge, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  type Arrival = typeof lead;

  async function importAfter(...arrivals: Arrival[]) {
    const account = await createReferredAccount(app.service);
    const { accountId, partnerId } = account;
    for (const arrive of arrivals) await arrive(app, account);
    const { email } = await getPartner(app.service, accountId, partnerId);
    const row = `c1,${email},20.00,USD,due,2026-11-01,mia,100.00,120.00,in_1,ch_1,stripe`;
    async function* file() {
      yield Buffer.from(`${HEADING}\n${row}\n`);
    }
    const target = { service: app.service, accountId, programId: null, origin: 'Rewardful' } as const;
    const options = { kind: 'commissions', columns: new Map(), isDryRun: false, reportPath: null } as const;
    expect(await importCsv(target, { file: file(), ...options })).toMatchObject({ refused: 0, problems: [] });
    return accountId;
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
