import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUDITS, runAudit } from '../../src/audit/audits.ts';
import type { CsvKind } from '../../src/exchange/csv-fields.ts';
import { getEarnings } from '../../src/ledger/earnings.ts';
import { earningsQuery } from '../../src/ledger/schemas.ts';
import { listPayouts } from '../../src/payouts/list.ts';
import { runPayouts } from '../../src/payouts/run.ts';
import { payoutListQuery } from '../../src/payouts/schemas.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { facts, lead, MIA } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { hints, received, refunded } from '../helpers/facts.ts';
import { importTextFor } from './import-for.ts';

const NOW = Date.UTC(2026, 10, 2);
const PAYMENT = ['pi_1'] as [string];
/** 20 percent of 100.00, which is what the other reports below are corrected to. */
const WHOLE = received(PAYMENT, hints(MIA), { statedAt: NOW });
const BARE = received(PAYMENT, hints(MIA), { isBare: true, netMinor: 12_000, taxMinor: 0 });
const AS_EDITED = received(PAYMENT, hints(MIA), { statedAt: NOW + 5, grossMinor: 14_400, netMinor: 12_000 });
const SHIPPING_ONLY = received(PAYMENT, hints(MIA), { statedAt: NOW + 5, netMinor: 0, shippingMinor: 12_000 });

describe.each(engines)('a commission that another service paid, of a sale that is here, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW } });
  });
  afterAll(() => app.close());

  async function accountWith(...reports: Parameters<typeof facts>) {
    const account = await createReferredAccount(app.service, { holdDays: 0 });
    await lead(app, account);
    for (const report of reports) await facts(report)(app, account);
    return account;
  }

  interface RowOptions {
    amount?: string;
    isDryRun?: boolean;
  }

  async function importText(account: ReferredAccount, kind: CsvKind, text: string, isDryRun = false) {
    const { created, changed, unchanged, problems } = await importTextFor(app, account, {
      kind,
      text,
      origin: 'Rewardful',
      isDryRun,
    });
    return { created, changed, unchanged, problems: problems.map(({ reason }) => reason) };
  }

  function importRow(
    account: ReferredAccount,
    status: string,
    { amount = '20.00', isDryRun = false }: RowOptions = {},
  ) {
    const head = 'ID,Affiliate,Commission,Currency,State,Date,Customer,Sale amount,Invoice,Payout\n';
    const row = `c1,ANA,${amount},USD,${status},2026-11-01,mia,100.00,pi_1,p_1\n`;
    return importText(account, 'commissions', head + row, isDryRun);
  }

  async function moneyOf({ accountId, partnerId }: ReferredAccount) {
    for (const audit of AUDITS) expect(await runAudit(app.service, accountId, audit)).toMatchObject({ count: 0 });
    const { data } = await getEarnings(app.service, accountId, partnerId, parseInput(earningsQuery, {}));
    return data[0];
  }

  const paidPayouts = async ({ accountId }: ReferredAccount) => {
    const { data } = await listPayouts(app.service, accountId, parseInput(payoutListQuery, { status: 'paid' }));
    return data.map(({ amount }) => amount);
  };

  it.each([
    ['whose amount became known later', [BARE, WHOLE]],
    ['of an order whose edit was reported first', [AS_EDITED, WHOLE]],
    ['that earned nothing at first', [SHIPPING_ONLY, WHOLE]],
    ['that was never corrected', [WHOLE]],
  ])('is paid in full if the sale is one %s', async (_, reports) => {
    const account = await accountWith(...reports);
    expect(await importRow(account, 'paid', { isDryRun: true })).toMatchObject({ created: 1, problems: [] });
    expect(await importRow(account, 'paid')).toMatchObject({ created: 1, problems: [] });
    expect(await moneyOf(account)).toMatchObject({ earned: 2_000, payable: 0, paid: 2_000 });
    expect(await paidPayouts(account)).toEqual([2_000]);
    const payout = 'Payout ID,Partner,Amount,Currency,State,Paid at\np_1,ANA,20.00,USD,paid,2026-11-01\n';
    expect(await importText(account, 'payouts', payout)).toMatchObject({ unchanged: 1, problems: [] });
    expect(await importRow(account, 'paid')).toMatchObject({ unchanged: 1, problems: [] });
    expect(await moneyOf(account)).toMatchObject({ earned: 2_000, payable: 0, paid: 2_000 });
  });

  it('is paid with the corrections that it includes when the import learns of the payment later', async () => {
    const account = await accountWith(BARE, WHOLE);
    expect(await importRow(account, 'due')).toMatchObject({ created: 1 });
    expect(await importRow(account, 'paid')).toMatchObject({ changed: 1, problems: [] });
    expect(await moneyOf(account)).toMatchObject({ earned: 2_000, payable: 0, paid: 2_000 });
  });

  it.each([
    ['before it was marked as paid', ['due', WHOLE, 'paid']],
    ['afterwards', ['paid', WHOLE, 'paid']],
  ])('is paid as it was paid there when the sale was corrected %s', async (_, steps) => {
    const account = await accountWith(BARE);
    for (const step of steps) {
      if (typeof step === 'string') expect((await importRow(account, step, { amount: '24.00' })).problems).toEqual([]);
      else await facts(step)(app, account);
    }
    expect(await paidPayouts(account)).toEqual([2_400]);
    expect(await moneyOf(account)).toMatchObject({ earned: 2_000, payable: -400, paid: 2_400 });
  });

  it('leaves what was reversed here to the next payout', async () => {
    const account = await accountWith(BARE, WHOLE, refunded(PAYMENT, { refundId: 're_1', amountMinor: 6_000 }));
    await importRow(account, 'paid');
    expect(await paidPayouts(account)).toEqual([2_000]);
    expect(await moneyOf(account)).toMatchObject({ earned: 2_000, reversed: 1_000, payable: -1_000, paid: 2_000 });
  });

  it('is to be deducted if a payout that paid it was imported as a whole, because it is open here', async () => {
    const account = await accountWith(WHOLE);
    const payout = 'Payout ID,Partner,Amount,Currency,State,Paid at\np_1,ANA,20.00,USD,paid,2026-11-01\n';
    expect(await importText(account, 'payouts', payout)).toMatchObject({ created: 1 });
    const refusal = { created: 0, problems: [expect.stringContaining('twice: deduct it with an adjustment')] };
    expect(await importRow(account, 'paid', { isDryRun: true })).toMatchObject(refusal);
    expect(await importRow(account, 'paid')).toMatchObject(refusal);
    expect(await moneyOf(account)).toMatchObject({ payable: 2_000, paid: 2_000 });
  });

  it('is refused if a payout here contains it, which a dry run also says', async () => {
    const account = await accountWith(BARE, WHOLE);
    const run = { at: NOW + 1, dryRun: false };
    await runPayouts(app.service, account.accountId, run, { actor: { kind: 'command_line' } });
    const refusal = { created: 0, problems: [expect.stringMatching(/^The entry ent_\w+ is not open/)] };
    expect(await importRow(account, 'paid', { isDryRun: true })).toMatchObject(refusal);
    expect(await importRow(account, 'paid')).toMatchObject(refusal);
    expect(await moneyOf(account)).toMatchObject({ earned: 2_000, paid: 0 });
  });

  it('is taken back if a later file says so, although all of the payment had been refunded before', async () => {
    const account = await createReferredAccount(app.service, { holdDays: 0 });
    const sales =
      'Invoice,Partner,User ID,Amount,Gross amount,refundedAmount,Currency,Date,Commission,Status\n' +
      'pi_1,ANA,mia,0.00,100.00,100.00,USD,2026-11-01,20.00,paid\n';
    expect(await importText(account, 'sales', sales)).toMatchObject({ created: 1 });
    expect(await moneyOf(account)).toMatchObject({ earned: 2_000, paid: 2_000 });
    const commissions =
      'ID,Affiliate,Commission,Currency,State,Date,Customer,Sale amount,Gross amount,refundedAmount,Invoice\n' +
      'c1,ANA,20.00,USD,voided,2026-11-01,mia,0.00,100.00,100.00,pi_1\n';
    expect(await importText(account, 'commissions', commissions)).toMatchObject({ problems: [] });
    expect(await moneyOf(account)).toMatchObject({ earned: 2_000, reversed: 2_000, paid: 2_000, payable: -2_000 });
  });
});
