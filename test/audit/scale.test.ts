import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Disagreement } from '../../src/audit/disagreement.ts';
import { type AuditProgress, checkLedger } from '../../src/audit/ledger.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

/** On SQLite more than two pages of the check, and more than one slice of a payout's entries. */
const SALES = 12_000;
const REFUNDED = SALES / 100;
const TOOK_MS_MAX = 10_000;

describe.each(engines)('the check of %s with many sales', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  beforeAll(async () => {
    app = await createTestApp(engine);
    referrer = await createReferrer(app);
    const { accountId, programId } = app;
    for (const sql of FILL) {
      const parameters = { accountId, programId, partnerId: referrer.partnerId, sales: SALES };
      await app.service.database.write((tx) => tx.run(sql, parameters));
    }
  });
  afterAll(() => app.close());

  async function check(onProgress?: (progress: AuditProgress) => void): Promise<Disagreement[]> {
    const found: Disagreement[] = [];
    for await (const disagreement of checkLedger(app.service, app.accountId, onProgress)) found.push(disagreement);
    return found;
  }
  const change = (sql: string) => app.service.database.write((tx) => tx.run(sql));

  it('takes seconds, finds nothing, and reports its progress', async () => {
    const progress: AuditProgress[] = [];
    const startedAt = performance.now();
    expect(await check((step) => progress.push(step))).toEqual([]);
    expect(performance.now() - startedAt).toBeLessThan(TOOK_MS_MAX);
    // read as a whole, these sales are a single page
    const pages = engine === 'sqlite' ? [5_000, 10_000] : [];
    expect(progress).toEqual([
      ...pages.map((count) => ({ checking: 'sales', count, total: SALES })),
      { checking: 'sales', count: SALES, total: SALES },
      { checking: 'partners', count: 1, total: 1 },
    ]);
  });

  it.each([
    ['an entry of the last page', 11_999, 'commission entries add up to 101, not 100'],
    ['an entry of the first page', 1, 'commission entries add up to 101, not 100'],
  ])('finds %s', async (_, number, message) => {
    await change(`UPDATE ledger_entries SET amount = amount + 1 WHERE id = 'ent_${padded(number)}'`);
    const found = await check();
    await change(`UPDATE ledger_entries SET amount = amount - 1 WHERE id = 'ent_${padded(number)}'`);
    expect(found).toEqual([
      { kind: 'sale', id: `sal_${padded(number)}`, message },
      {
        kind: 'partner',
        id: referrer.partnerId,
        message: 'its sums in usd of 1970-01-01 are not those of its entries',
      },
      {
        kind: 'payout',
        id: 'pay_all',
        message: `its entries add up to ${SALES * 100 - REFUNDED * 100 + 1}, not ${SALES * 100 - REFUNDED * 100}`,
      },
      { kind: 'payout', id: 'pay_all', message: 'its sums per day are not those of its entries' },
      {
        kind: 'partner',
        id: referrer.partnerId,
        message: 'what is in payouts in usd of 1970-01-01 is not what its payouts contain',
      },
    ]);
  });

  it('finds a refund without its reversal among many that have one', async () => {
    await change("UPDATE refunds SET amount = 400 WHERE refund_key = 're_5000'");
    const found = await check();
    await change("UPDATE refunds SET amount = 1000 WHERE refund_key = 're_5000'");
    expect(found).toEqual([
      { kind: 'sale', id: `sal_${padded(5_000)}`, message: 'reversal entries add up to 100, not 40' },
    ]);
  });

  it('finds a partner whose entries are in no queued payout, and reports it once', async () => {
    await change("UPDATE payouts SET currency = 'xts' WHERE status = 'queued'");
    const found = await check();
    await change("UPDATE payouts SET currency = 'usd' WHERE status = 'queued'");
    expect(found).toEqual([
      { kind: 'partner', id: referrer.partnerId, message: 'has entries in usd but no queued payout' },
    ]);
  });
});

const padded = (number: number) => String(100_000 + number);

const NUMBERS =
  'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < CAST(@sales AS BIGINT))';
const N = '(100000 + n)';

const FILL = [
  `INSERT INTO customers (id, account_id, external_id, partner_id, program_id, created_at)
   VALUES ('cus_1', @accountId, 'user_1', @partnerId, @programId, 1)`,
  `INSERT INTO payments (id, account_id, processor, state, sale_id, created_at)
   ${NUMBERS} SELECT 'pmt_' || ${N}, @accountId, 'stripe', 'counted', 'sal_' || ${N}, 1 FROM numbers`,
  `INSERT INTO sales (id, account_id, program_id, partner_id, customer_id, payment_id, event_name, payment_processor,
     amount, gross_amount, currency, commission_amount, terms, available_at, refunded_amount, disputed_open, matched_by,
     steps, occurred_at, created_at)
   ${NUMBERS} SELECT 'sal_' || ${N}, @accountId, @programId, @partnerId, 'cus_1', 'pmt_' || ${N}, 'Purchase', 'stripe',
     1000, 1000, 'usd', 100, '{}', 1, CASE WHEN n % 100 = 0 THEN 1000 ELSE 0 END, 0, 'externalId', '[]', 1, 1
   FROM numbers`,
  `INSERT INTO refunds (account_id, processor, refund_key, payment_id, kind, amount, currency, failed, occurred_at,
     created_at)
   ${NUMBERS} SELECT @accountId, 'stripe', 're_' || n, 'pmt_' || ${N}, 'refund', 1000, 'usd', 0, 1, 1
   FROM numbers WHERE n % 100 = 0`,
  `INSERT INTO ledger_entries (id, account_id, partner_id, sale_id, kind, amount, currency, available_at, created_at)
   ${NUMBERS} SELECT 'ent_' || ${N}, @accountId, @partnerId, 'sal_' || ${N}, 'commission', 100, 'usd', 1, 1 FROM numbers`,
  `INSERT INTO ledger_entries (id, account_id, partner_id, sale_id, kind, amount, currency, available_at, created_at)
   ${NUMBERS} SELECT 'ent_r' || n, @accountId, @partnerId, 'sal_' || ${N}, 'reversal', -100, 'usd', 1, 1
   FROM numbers WHERE n % 100 = 0`,
  `INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at)
   VALUES ('pay_queued', @accountId, @programId, @partnerId, 'usd', 'queued', 0, 0, 1)`,
  `INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at)
   SELECT 'pay_all', @accountId, @programId, @partnerId, 'usd', 'processing', SUM(amount), COUNT(*), 1
   FROM ledger_entries`,
  `INSERT INTO payout_entries (payout_id, account_id, entry_id, live, sale_id)
   SELECT 'pay_all', account_id, id, 1, CASE WHEN kind = 'commission' THEN sale_id END FROM ledger_entries`,
  "INSERT INTO payout_days (payout_id, day, due_day, amount) SELECT id, 0, 0, amount FROM payouts WHERE id = 'pay_all'",
  `INSERT INTO ledger_days (partner_id, currency, day, due_day, earned, reversed, in_payouts, paid)
   SELECT partner_id, currency, 0, 0, 100 * @sales, 100 * @sales - amount, amount, 0 FROM payouts WHERE id = 'pay_all'`,
];
