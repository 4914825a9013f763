import type { LinkId } from '../../core/ids.ts';
import { HOUR_MS } from '../../core/time.ts';
import { idsFrom } from '../../ids.ts';
import type { SumOfLink } from '../../results/sums.ts';
import type { SqlParameters, Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';

/** A time span within one day, in epoch milliseconds: `from` inclusive, `to` exclusive. */
export type PartOfDay = Readonly<Record<'from' | 'to', number>>;

/** Each query counts some of these columns and leaves the others 0. */
const counted = ({ clicks = '0', leads = '0', sales = '0', revenue = '0', commission = '0' }) =>
  `CAST(${clicks} AS BIGINT) AS "clicks", CAST(${leads} AS BIGINT) AS "leads", CAST(${sales} AS BIGINT) AS "sales",
    CAST(${revenue} AS BIGINT) AS "revenue", CAST(${commission} AS BIGINT) AS "commission"`;

const clicksByHour = (list: string) => `
  SELECT c.link_id AS "linkId", '' AS "currency", ${counted({ clicks: 'SUM(c.clicks)' })} FROM link_clicks c
  WHERE c.link_id IN ${list} AND c.hour >= @fromHour AND c.hour < @toHour GROUP BY c.link_id`;

/** @param end names the parameters for the times before or after the full hours */
const clicksById = (list: string, end: 'Before' | 'After') => `
  SELECT c.link_id AS "linkId", '' AS "currency", ${counted({ clicks: 'COUNT(*)' })} FROM clicks c
  WHERE c.id >= @fromClick${end} AND c.id < @toClick${end} AND c.link_id IN ${list} GROUP BY c.link_id`;

/**
 * An index by link would slow every webhook. Instead, this reads the day's leads and sales of everyone who held one of
 * the links, which are few.
 */
const holdersOf = (list: string) =>
  `(SELECT DISTINCT h.partner_id FROM link_holders h WHERE h.link_id IN ${list}) holders`;

const leadsOf = (list: string) => `
  SELECT e.link_id AS "linkId", '' AS "currency", ${counted({ leads: 'COUNT(*)' })}
  FROM ${holdersOf(list)} JOIN leads e ON e.partner_id = holders.partner_id
  WHERE e.created_at >= @from AND e.created_at < @to AND e.link_id IN ${list} GROUP BY e.link_id`;

const moneyOf = (list: string) => `
  SELECT s.link_id AS "linkId", s.currency, ${counted({
    sales: 'COUNT(*)',
    revenue: 'SUM(s.amount)',
    commission: `SUM(s.commission_amount + (SELECT COALESCE(SUM(e.amount), 0) FROM ledger_entries e
      WHERE e.sale_id = s.id AND e.kind = 'reversal'))`,
  })}
  FROM ${holdersOf(list)} JOIN sales s ON s.partner_id = holders.partner_id
  WHERE s.created_at >= @from AND s.created_at < @to AND s.link_id IN ${list} AND s.voided_reason IS NULL
  GROUP BY s.link_id, s.currency`;

/** A single query for many links, because each additional one queues behind other reports and checkpoints. */
const partsOfDay = manyIds<SumOfLink>((list) =>
  [clicksByHour(list), clicksById(list, 'Before'), clicksById(list, 'After'), leadsOf(list), moneyOf(list)].join(
    ' UNION ALL ',
  ),
);

/** The results of these links in a part of a day, in any order. Voided sales do not count. */
export function findPartOfDay(tx: Transaction, linkIds: readonly LinkId[], part: PartOfDay): Promise<SumOfLink[]> {
  return partsOfDay(tx, linkIds, { ...part, ...clickBounds(part) });
}

/** Full hours are already counted. Clicks before and after them are counted one by one, by the time in their ids. */
function clickBounds({ from, to }: PartOfDay): SqlParameters {
  const [fromHour, toHour] = [Math.ceil(from / HOUR_MS), Math.floor(to / HOUR_MS)];
  const hasFullHour = fromHour <= toHour;
  // without a full hour, the whole part is before the full hours
  const [endBefore, startAfter] = hasFullHour ? [fromHour * HOUR_MS, toHour * HOUR_MS] : [to, to];
  return {
    fromHour,
    toHour: Math.max(fromHour, toHour),
    fromClickBefore: idsFrom('clk', from),
    toClickBefore: idsFrom('clk', endBefore),
    fromClickAfter: idsFrom('clk', startAfter),
    toClickAfter: idsFrom('clk', to),
  };
}
