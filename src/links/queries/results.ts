import type { AccountId, LinkId } from '../../core/ids.ts';
import type { Period } from '../../core/time.ts';
import { idsFrom } from '../../ids.ts';
import { isEntryOf } from '../../storage/conditions/entries-of-sale.ts';
import type { SqlParameters, Transaction } from '../../storage/database.ts';

/** The results of a link. Amounts in minor units by currency. */
export interface LinkResults {
  clicks: number;
  leads: number;
  sales: number;
  /** The sum of the sales, before refunds. */
  revenue: Record<string, number>;
  /** Their commission less reversals. */
  earnedCommission: Record<string, number>;
}

/** Links of one account with ids in this range, both ends included. */
export interface LinkRange {
  accountId: AccountId;
  firstId: LinkId;
  lastId: LinkId;
}

interface CountRow {
  linkId: LinkId;
  count: number;
}

interface MoneyRow extends CountRow {
  currency: string;
  revenueMinor: number;
  commissionMinor: number;
}

const HOUR_MS = 3_600_000;
/** Later than any hour and any millisecond. */
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
 * Scans the sales of all partners who have or had the links, because an index of sales by link would slow every webhook.
 * Reads the current partner from the link as well, in case a process of an older version wrote it.
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
 * The results of these links in a period, by link id, without links that have none. Voided sales, which are duplicates of
 * another, do not count.
 */
export async function findLinkResults(
  tx: Transaction,
  range: LinkRange,
  { from, to }: Period,
): Promise<Map<LinkId, LinkResults>> {
  const results = new Map<LinkId, LinkResults>();
  const of = (linkId: LinkId): LinkResults => {
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

/** The results of a link without visits. */
export function noResults(): LinkResults {
  return { clicks: 0, leads: 0, sales: 0, revenue: {}, earnedCommission: {} };
}

/** Full hours are already counted; in a partial hour, counts the clicks themselves by the time in their ids. */
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
