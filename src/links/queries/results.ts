import type { Period } from '../../core/time.ts';
import { idsFrom } from '../../ids.ts';
import { isEntryOf } from '../../storage/conditions/entries-of-sale.ts';
import type { SqlParameters, Transaction } from '../../storage/database.ts';

/** What came through a link. Amounts in minor units by currency. */
export interface LinkResults {
  clicks: number;
  leads: number;
  sales: number;
  /** What the sales came to, refunds not taken off. */
  revenue: Record<string, number>;
  /** Their commission, without what was taken back. */
  earnedCommission: Record<string, number>;
}

/** Links of one account with ids in this range, both ends included. */
export interface LinkRange {
  accountId: string;
  firstId: string;
  lastId: string;
}

interface CountRow {
  linkId: string;
  count: number;
}

interface MoneyRow extends CountRow {
  currency: string;
  revenueMinor: number;
  commissionMinor: number;
}

const HOUR_MS = 3_600_000;
/** Past every hour and millisecond that there will be. */
const END = { hour: 2_147_483_647, time: Number.MAX_SAFE_INTEGER };

const OF_RANGE = 'l.account_id = @accountId AND l.id >= @firstId AND l.id <= @lastId';

const CLICKS_BY_HOUR = `SELECT c.link_id AS "linkId", CAST(SUM(c.clicks) AS BIGINT) AS "count"
  FROM links l JOIN link_clicks c ON c.link_id = l.id
  WHERE ${OF_RANGE} AND c.hour >= @fromHour AND c.hour < @toHour GROUP BY c.link_id`;

const CLICKS_BY_ID = `SELECT c.link_id AS "linkId", COUNT(*) AS "count" FROM clicks c
  WHERE c.id >= @fromClickId AND c.id < @toClickId AND c.account_id = @accountId
    AND c.link_id >= @firstId AND c.link_id <= @lastId GROUP BY c.link_id`;

const LEADS = `SELECT e.link_id AS "linkId", COUNT(*) AS "count" FROM links l JOIN leads e ON e.link_id = l.id
  WHERE ${OF_RANGE} AND e.created_at >= @from AND e.created_at < @to GROUP BY e.link_id`;

/**
 * The sales of all who have or had the links are looked through: an index of sales by link would cost every webhook
 * more. Who has a link now is read from the link as well, should a process of an older version have written it.
 */
const MONEY = `SELECT s.link_id AS "linkId", s.currency, COUNT(*) AS "count",
    CAST(SUM(s.amount) AS BIGINT) AS "revenueMinor",
    CAST(SUM(s.commission_amount + (SELECT COALESCE(SUM(e.amount), 0) FROM ledger_entries e
      WHERE ${isEntryOf('e', 's')} AND e.kind = 'reversal')) AS BIGINT) AS "commissionMinor"
  FROM (
    SELECT h.partner_id FROM links l JOIN link_holders h ON h.link_id = l.id WHERE ${OF_RANGE}
    UNION SELECT l.partner_id FROM links l WHERE ${OF_RANGE}) holders
  JOIN sales s ON s.partner_id = holders.partner_id AND s.link_id >= @firstId AND s.link_id <= @lastId
  WHERE s.created_at >= @from AND s.created_at < @to AND s.voided_reason IS NULL
  GROUP BY s.link_id, s.currency ORDER BY s.currency`;

/**
 * What was recorded of these links in a period, by link id; links of which nothing was are left out. A sale that turned
 * out to be the second record of a payment is none.
 */
export async function findLinkResults(
  tx: Transaction,
  range: LinkRange,
  { from, to }: Period,
): Promise<Map<string, LinkResults>> {
  const results = new Map<string, LinkResults>();
  const of = (linkId: string): LinkResults => {
    const known = results.get(linkId) ?? noResults();
    results.set(linkId, known);
    return known;
  };
  const parameters = { ...range, from: from ?? 0, to: to ?? END.time };
  for (const { sql, bounds } of clickCounts({ from, to })) {
    for (const { linkId, count } of await tx.all<CountRow>(sql, { ...range, ...bounds })) of(linkId).clicks += count;
  }
  for (const { linkId, count } of await tx.all<CountRow>(LEADS, parameters)) of(linkId).leads += count;
  for (const row of await tx.all<MoneyRow>(MONEY, parameters)) {
    const result = of(row.linkId);
    result.sales += row.count;
    result.revenue[row.currency] = row.revenueMinor;
    result.earnedCommission[row.currency] = row.commissionMinor;
  }
  return results;
}

/** Nothing came through. */
export function noResults(): LinkResults {
  return { clicks: 0, leads: 0, sales: 0, revenue: {}, earnedCommission: {} };
}

/** Whole hours are counted already; of an hour that the period cuts, the clicks themselves are, by the time in their ids. */
function clickCounts({ from, to }: Period): { sql: string; bounds: SqlParameters }[] {
  const fromHour = from === null ? 0 : Math.ceil(from / HOUR_MS);
  const toHour = to === null ? END.hour : Math.floor(to / HOUR_MS);
  if (from !== null && to !== null && fromHour > toHour) return [between(from, to)];
  const counts = [{ sql: CLICKS_BY_HOUR, bounds: { fromHour, toHour } }];
  const edges = [];
  if (from !== null && from % HOUR_MS !== 0) edges.push(between(from, fromHour * HOUR_MS));
  if (to !== null && to % HOUR_MS !== 0) edges.push(between(toHour * HOUR_MS, to));
  return [...counts, ...edges];
}

function between(from: number, to: number) {
  return { sql: CLICKS_BY_ID, bounds: { fromClickId: idsFrom('clk', from), toClickId: idsFrom('clk', to) } };
}
