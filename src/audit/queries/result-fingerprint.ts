import { DAY_MS } from '../../core/time.ts';
import type { Transaction } from '../../storage/database.ts';
import { BLOCK_DAYS, COMMISSION_LEFT, HOURS_OF_DAY, PARTS } from './results.ts';
import {
  currencyOf,
  OWNERS,
  ownerOf,
  parametersOf,
  remainder,
  type Side,
  scattered,
  seed,
  sumOf,
  times,
  type Weighted,
} from './weights.ts';

/** The account's links, each with a number; sales without a link have 0. */
const LINKS = `parts AS MATERIALIZED (
    SELECT l.id, CAST(ROW_NUMBER() OVER (ORDER BY l.id) AS BIGINT) AS n FROM links l WHERE l.account_id = @accountId)`;
const PROGRAMS = `numbered AS MATERIALIZED (
    SELECT i.id, CAST(ROW_NUMBER() OVER (ORDER BY i.id) AS BIGINT) * ${seed('program')} AS n
    FROM programs i WHERE i.account_id = @accountId)`;

const partOf = (part: string, side: Side) =>
  `COALESCE(k.n, CASE WHEN ${part} = '' THEN 0 ELSE ${seed(side)} END) * ${seed('part')}`;
/** The number of a day and a currency. */
const dayNumber = (day: string, currency: string, side: Side) =>
  `${day} * ${seed('day')} + ${currencyOf(currency, side)}`;

const columnsOf = (leads: string, sales: string, revenue: string, commission: string) =>
  [
    leads,
    times(remainder(sales), seed('second')),
    times(remainder(revenue), seed('third')),
    times(remainder(commission), seed('fourth')),
  ].join(' + ');
const COLUMNS = columnsOf('r.leads', 'r.sales', 'r.revenue', 'r.commission');
const WITH_CLICKS = remainder(`${times(remainder('r.clicks'), seed('fifth'))} + ${COLUMNS}`);

/** The weight of a partner's row on a day, or on the first day of a block. */
const onDay = (day: string) =>
  scattered(`${dayNumber(day, 'r.currency', 'strayStored')} + ${partOf('r.part', 'strayStored')}`);
const OF_PROGRAM = scattered(`${dayNumber('r.day', 'r.currency', 'strayStored')} + q.n`);
/** The weight of the clicks of a link, whoever holds it. */
const ofLink = (day: string) => scattered(`${day} * ${seed('day')} + k.n * ${seed('part')}`);

const SUMS = `WITH ${OWNERS}, ${LINKS}, ${PROGRAMS}
  SELECT
    ${sumOf(`CASE r.span WHEN 1 THEN ${times(remainder(COLUMNS), onDay('r.day'), 'o.weight')} ELSE 0 END`)} AS results,
    ${sumOf(`CASE r.span WHEN 1 THEN ${times(WITH_CLICKS, onDay(`(r.day / ${BLOCK_DAYS} * ${BLOCK_DAYS})`), 'o.weight')}
      ELSE -${times(WITH_CLICKS, onDay('r.day'), 'o.weight')} END`)} AS blocks,
    ${sumOf(`CASE r.span WHEN 1 THEN ${times(WITH_CLICKS, OF_PROGRAM)} ELSE 0 END`)} AS programs,
    ${sumOf(`CASE WHEN r.span <> 1 OR r.clicks = 0 OR r.currency <> '' THEN 0
      WHEN k.n IS NULL OR h.link_id IS NULL THEN ${seed('strayStored')}
      ELSE ${times(remainder('r.clicks'), ofLink('r.day'))} END`)} AS clicks
  FROM owners o CROSS JOIN partners p CROSS JOIN numbered q CROSS JOIN result_days r
  LEFT JOIN parts k ON k.id = r.part
  LEFT JOIN link_holders h ON h.link_id = CASE WHEN r.clicks <> 0 AND r.span = 1 THEN r.part END AND h.partner_id = r.owner_id
  WHERE p.id = o.id AND q.id = p.program_id AND r.owner_id = o.id AND r.span IN (1, ${BLOCK_DAYS})`;

/**
 * Fingerprints of the partners' sums per day; `blocks` is zero if the sums of blocks of days equal those of their days.
 */
export async function walkResultDays(tx: Transaction, weighted: Weighted) {
  // an aggregate always has a row
  return (await tx.get<Record<'results' | 'blocks' | 'programs' | 'clicks', number>>(
    SUMS,
    parametersOf(weighted),
  )) as Record<'results' | 'blocks' | 'programs' | 'clicks', number>;
}

const OF_PROGRAMS = `WITH ${PROGRAMS}
  SELECT ${sumOf(times(WITH_CLICKS, OF_PROGRAM))} AS "sum"
  FROM numbered q CROSS JOIN result_days r
  WHERE r.owner_id = q.id AND r.part IN (${PARTS}) AND r.span = 1`;

/** The fingerprint of the programs' sums per day; comparable with `programs` of `walkResultDays`. */
export async function walkProgramDays(tx: Transaction, weighted: Weighted): Promise<number> {
  return (await tx.get<{ sum: number }>(OF_PROGRAMS, parametersOf(weighted)))?.sum ?? 0;
}

const OF_CLICKS = `WITH ${LINKS}
  SELECT ${sumOf(times(remainder('c.clicks'), ofLink(`c.hour / ${HOURS_OF_DAY}`)))} AS "sum"
  FROM parts k CROSS JOIN link_clicks c WHERE c.link_id = k.id`;

/** The fingerprint of the links' clicks per hour; comparable with `clicks` of `walkResultDays`. */
export async function walkClicks(tx: Transaction, weighted: Weighted): Promise<number> {
  return (await tx.get<{ sum: number }>(OF_CLICKS, parametersOf(weighted)))?.sum ?? 0;
}

/** The fingerprint of a page of leads or sales; comparable with `results` of `walkResultDays`. */
export interface CountedResults {
  /** Null on an empty page. */
  lastId: string | null;
  count: number;
  sum: number;
}

/** @param page selects the rows `e`; `days` is the number of the day and the currency, `part` the link */
const resultsOf = (page: string, columns: string) => `WITH ${OWNERS}, ${LINKS}
  SELECT MAX(e.id) AS "lastId", COUNT(*) AS count,
    ${sumOf(times(columns, scattered(`e.days + ${partOf('e.part', 'strayRow')}`), ownerOf('strayRow')))} AS "sum"
  FROM (${page}) e LEFT JOIN owners o ON o.id = e.partner_id LEFT JOIN parts k ON k.id = e.part`;

// SQLite does not merge a query with a limit into the outer one, and so computes the number of each row once.
const LEADS = resultsOf(
  `SELECT e.id, e.partner_id, e.link_id AS part, ${dayNumber(`e.created_at / ${DAY_MS}`, "''", 'strayRow')} AS days
    FROM leads e WHERE e.account_id = @accountId AND e.id > @afterId ORDER BY e.id LIMIT @limit`,
  '1',
);
const IF_COUNTED = (value: string) => `CASE WHEN s.voided_reason IS NULL THEN ${value} ELSE 0 END`;
const SALES = resultsOf(
  `SELECT s.id, s.partner_id, COALESCE(s.link_id, '') AS part,
      ${dayNumber(`s.created_at / ${DAY_MS}`, 's.currency', 'strayRow')} AS days,
      ${IF_COUNTED('1')} AS sales, ${IF_COUNTED('s.amount')} AS revenue, CAST(${COMMISSION_LEFT} AS BIGINT) AS commission
    FROM sales s WHERE s.account_id = @accountId AND s.id > @afterId ORDER BY s.id LIMIT @limit`,
  remainder(columnsOf('0', 'e.sales', 'e.revenue', 'e.commission')),
);

export const walkCounted = {
  /** The next leads in the order of ids. */
  leads: (tx: Transaction, weighted: Weighted, page: { afterId: string; limit: number }) =>
    tx.get<CountedResults>(LEADS, { ...parametersOf(weighted), ...page }),
  /** The next sales in the order of ids. */
  sales: (tx: Transaction, weighted: Weighted, page: { afterId: string; limit: number }) =>
    tx.get<CountedResults>(SALES, { ...parametersOf(weighted), ...page }),
};
