import type { AccountId } from '../../src/core/ids.ts';
import type { Period } from '../../src/core/time.ts';
import type { Database } from '../../src/storage/database.ts';

/** A click, a lead or a sale that counts, with the remaining commission. */
export interface Counted {
  kind: 'click' | 'lead' | 'sale';
  programId: string;
  partnerId: string;
  linkId: string | null;
  createdAt: number;
  currency: string;
  revenue: number;
  commission: number;
}

/** The members of results that can be counted, as the API names them. */
export interface CountedResults {
  clicks: number;
  leads: number;
  sales: number;
  revenue: Record<string, number>;
  earnedCommission: Record<string, number>;
}

const COUNTED = `
  SELECT 'click' AS "kind", l.program_id AS "programId", l.partner_id AS "partnerId", k.link_id AS "linkId",
    k.created_at AS "createdAt", '' AS "currency", 0 AS "revenue", 0 AS "commission"
  FROM clicks k JOIN links l ON l.id = k.link_id WHERE k.account_id = @accountId
  UNION ALL
  SELECT 'lead', l.program_id, e.partner_id, e.link_id, e.created_at, '', 0, 0
  FROM leads e JOIN links l ON l.id = e.link_id WHERE e.account_id = @accountId
  UNION ALL
  SELECT 'sale', s.program_id, s.partner_id, s.link_id, s.created_at, s.currency, s.amount,
    s.commission_amount + CAST(COALESCE((SELECT SUM(t.amount) FROM ledger_entries t
      WHERE t.account_id = s.account_id AND t.sale_id = s.id AND t.kind = 'reversal'), 0) AS BIGINT)
  FROM sales s WHERE s.account_id = @accountId AND s.voided_reason IS NULL`;

/** Everything in an account that counts, row by row. The partner of a click is the current owner of its link. */
export function countedOf(database: Database, accountId: AccountId): Promise<Counted[]> {
  return database.read((tx) => tx.all<Counted>(COUNTED, { accountId }));
}

/** The results of these rows in a period. */
export function addUpIn(rows: readonly Counted[], { from, to }: Period): CountedResults {
  const results: CountedResults = { clicks: 0, leads: 0, sales: 0, revenue: {}, earnedCommission: {} };
  for (const { kind, createdAt, currency, revenue, commission } of rows) {
    if ((from !== null && createdAt < from) || (to !== null && createdAt >= to)) continue;
    results[`${kind}s`] += 1;
    if (kind !== 'sale') continue;
    results.revenue[currency] = (results.revenue[currency] ?? 0) + revenue;
    results.earnedCommission[currency] = (results.earnedCommission[currency] ?? 0) + commission;
  }
  return results;
}
