import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runAudit } from '../../src/audit/audits.ts';
import { checkSalesOf } from '../../src/audit/ledger.ts';
import { divideSales, type SalesPart } from '../../src/audit/sales-parts.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer } from '../helpers/story.ts';

const REFUND = `INSERT INTO refunds (account_id, processor, refund_key, payment_id, kind, amount, currency, failed, occurred_at,
    created_at)
  SELECT account_id, 'stripe', 're_unapplied', payment_id, 'refund', amount, currency, 0, created_at, created_at
  FROM sales WHERE id = @saleId`;
const DISPUTE = `INSERT INTO disputes (account_id, processor, dispute_id, payment_id, amount, currency, state, occurred_at,
    created_at)
  SELECT account_id, 'stripe', 'dp_unapplied', payment_id, amount, currency, 'open', created_at, created_at
  FROM sales WHERE id = @saleId`;

describe.each(engines)('a refund or dispute that its sale knows nothing of, on %s', (engine) => {
  let app: TestApp;
  let saleIds: string[];
  beforeAll(async () => {
    app = await createTestApp(engine);
    const referrer = await createReferrer(app);
    saleIds = [await sell(app, referrer), await sell(app, referrer), await sell(app, referrer)];
  });
  beforeEach(async () => {
    await app.service.database.write(async (tx) => {
      await tx.run('DELETE FROM refunds');
      await tx.run('DELETE FROM disputes');
    });
  });
  afterAll(() => app.close());

  async function found(part?: SalesPart) {
    const all = [];
    for await (const disagreement of checkSalesOf(app.service, app.accountId, undefined, part)) all.push(disagreement);
    return all;
  }
  const insert = (sql: string, saleId: string) => app.service.database.write((tx) => tx.run(sql, { saleId }));

  it.each([
    ['refund', REFUND, /^reversal entries add up to 0, not \d+$/],
    ['dispute', DISPUTE, /^dispute entries add up to 0, not \d+$/],
    [
      'dispute in a third currency',
      DISPUTE.replace("currency, 'open'", "'xyz', 'open'"),
      /in xyz .* cannot be converted$/,
    ],
  ])('is found: %s', async (_, sql, message) => {
    const [, saleId = ''] = saleIds;
    await insert(sql, saleId);
    expect(await found()).toEqual([{ kind: 'sale', id: saleId, message: expect.stringMatching(message) }]);
  });

  it('is found once when the sale has both, and in whatever part of the sales it is', async () => {
    const [, , saleId = ''] = saleIds;
    await insert(REFUND, saleId);
    await insert(DISPUTE, saleId);
    const parts = await divideSales(app.service, app.accountId, 1);
    expect(parts.length).toBeGreaterThan(2);
    const ids = [];
    for (const part of parts) ids.push(...(await found(part)).map(({ id }) => id));
    expect(ids).toEqual([saleId]);
  });

  it('is found behind thousands of others', async () => {
    const [saleId = '', other = ''] = saleIds;
    await insert(REFUND, saleId);
    const failed = REFUND.replace("'re_unapplied'", "'re_failed_' || n")
      .replace('0, created_at, created_at', '1, created_at, created_at')
      .replace('FROM sales', 'FROM numbers CROSS JOIN sales');
    const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5200)';
    await insert(`${numbers} ${failed}`, other);
    expect(await found()).toEqual([{ kind: 'sale', id: saleId, message: expect.any(String) }]);
  });

  it('does not hide that the terms of its sale cannot be read', async () => {
    const [saleId = ''] = saleIds;
    await insert(DISPUTE, saleId);
    await insert("UPDATE sales SET terms = 'x' WHERE id = @saleId", saleId);
    const { count, first } = await runAudit(app.service, app.accountId, 'sales');
    expect([count, first]).toEqual([1, expect.stringMatching(/the check of sales ended early\. .*is not valid JSON/)]);
  });
});
