import { idsFrom } from '../../ids.ts';
import type { LinkRange, SumOfLink } from '../../results/sums.ts';
import type { SqlParameters, Transaction } from '../../storage/database.ts';

/** A time span within one day, in epoch milliseconds: `from` included, `to` excluded. */
export type PartOfDay = Readonly<Record<'from' | 'to', number>>;

const HOUR_MS = 3_600_000;

const OF_RANGE = 'l.account_id = @accountId AND l.id >= @firstId AND l.id <= @lastId';

const CLICKS_BY_HOUR = `SELECT c.link_id AS "linkId", '' AS "currency", CAST(SUM(c.clicks) AS BIGINT) AS "clicks"
  FROM links l JOIN link_clicks c ON c.link_id = l.id
  WHERE ${OF_RANGE} AND c.hour >= @fromHour AND c.hour < @toHour GROUP BY c.link_id`;

const CLICKS_BY_ID = `SELECT c.link_id AS "linkId", '' AS "currency", COUNT(*) AS "clicks" FROM clicks c
  WHERE c.id >= @fromClickId AND c.id < @toClickId AND c.account_id = @accountId
    AND c.link_id >= @firstId AND c.link_id <= @lastId GROUP BY c.link_id`;

/** There is no index by link, which would slow every webhook: a day's leads and sales of everyone who had one are few. */
const HOLDERS = `(SELECT DISTINCT h.partner_id FROM links l JOIN link_holders h ON h.link_id = l.id
  WHERE ${OF_RANGE}) holders`;

const LEADS = `SELECT e.link_id AS "linkId", '' AS "currency", COUNT(*) AS "leads"
  FROM ${HOLDERS} JOIN leads e ON e.partner_id = holders.partner_id
  WHERE e.created_at >= @from AND e.created_at < @to AND e.link_id >= @firstId AND e.link_id <= @lastId
  GROUP BY e.link_id`;

const MONEY = `SELECT s.link_id AS "linkId", s.currency, COUNT(*) AS "sales", CAST(SUM(s.amount) AS BIGINT) AS "revenue",
    CAST(SUM(s.commission_amount + (SELECT COALESCE(SUM(e.amount), 0) FROM ledger_entries e
      WHERE e.sale_id = s.id AND e.kind = 'reversal')) AS BIGINT) AS "commission"
  FROM ${HOLDERS} JOIN sales s ON s.partner_id = holders.partner_id
  WHERE s.created_at >= @from AND s.created_at < @to AND s.link_id >= @firstId AND s.link_id <= @lastId
    AND s.voided_reason IS NULL
  GROUP BY s.link_id, s.currency`;

/** What these links had in a part of a day, in no order. Voided sales, which are duplicates of another, do not count. */
export async function findPartOfDay(tx: Transaction, range: LinkRange, part: PartOfDay): Promise<SumOfLink[]> {
  const queries = [...clickQueries(part), { sql: LEADS, bounds: part }, { sql: MONEY, bounds: part }];
  const rows: SumOfLink[] = [];
  for (const { sql, bounds } of queries) rows.push(...(await tx.all<SumOfLink>(sql, { ...range, ...bounds })));
  return rows;
}

/** Full hours are already counted; a partial hour counts the clicks themselves by the time in their ids. */
function clickQueries({ from, to }: PartOfDay): { sql: string; bounds: SqlParameters }[] {
  const [fromHour, toHour] = [Math.ceil(from / HOUR_MS), Math.floor(to / HOUR_MS)];
  if (fromHour > toHour) return [between(from, to)];
  const queries: { sql: string; bounds: SqlParameters }[] = [];
  if (fromHour < toHour) queries.push({ sql: CLICKS_BY_HOUR, bounds: { fromHour, toHour } });
  if (from % HOUR_MS !== 0) queries.push(between(from, fromHour * HOUR_MS));
  if (to % HOUR_MS !== 0) queries.push(between(toHour * HOUR_MS, to));
  return queries;
}

function between(from: number, to: number) {
  return { sql: CLICKS_BY_ID, bounds: { fromClickId: idsFrom('clk', from), toClickId: idsFrom('clk', to) } };
}
