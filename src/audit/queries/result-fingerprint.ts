import { DAY_MS } from '../../core/time.ts';
import { BLOCK_DAYS, PARTS_OF_PROGRAM } from '../../storage/conditions/result-days.ts';
import type { Transaction } from '../../storage/database.ts';
import { COMMISSION_LEFT, HOURS_OF_DAY } from './results.ts';
import {
  COMPUTED_ONCE,
  currencyOf,
  OWNERS,
  otherRemainder,
  ownerOf,
  parametersOf,
  remainder,
  type Side,
  scattered,
  seed,
  squareOf,
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
  remainder(
    [
      leads,
      times(remainder(sales), seed('second')),
      times(remainder(revenue), seed('third')),
      times(remainder(commission), seed('fourth')),
    ].join(' + '),
  );
const COLUMNS = columnsOf('r.leads', 'r.sales', 'r.revenue', 'r.commission');

/** Where a partner's row is counted: on a day, or on the first day of a block. */
const onDay = (day: string) =>
  otherRemainder(`${dayNumber(day, 'r.currency', 'strayStored')} + ${partOf('r.part', 'strayStored')}`);
const IN_PROGRAM = otherRemainder(`${dayNumber('r.day', 'r.currency', 'strayStored')} + q.n`);
/** Where the clicks of a link are counted, whoever holds it. */
const ofLink = (day: string) => otherRemainder(`${day} * ${seed('day')} + k.n * ${seed('part')}`);

const PLACED = `(SELECT r.span, r.currency, r.clicks, o.weight, ${COLUMNS} AS columns,
      ${onDay('r.day')} AS on_day, ${onDay(`(r.day / ${BLOCK_DAYS} * ${BLOCK_DAYS})`)} AS in_block,
      ${IN_PROGRAM} AS in_program, CASE WHEN h.link_id IS NOT NULL THEN ${ofLink('r.day')} END AS of_link
    FROM owners o CROSS JOIN partners p CROSS JOIN numbered q CROSS JOIN result_days r
    LEFT JOIN parts k ON k.id = r.part
    LEFT JOIN link_holders h ON h.link_id = CASE WHEN r.clicks <> 0 AND r.span = 1 THEN r.part END AND h.partner_id = r.owner_id
    WHERE p.id = o.id AND q.id = p.program_id AND r.owner_id = o.id AND r.span IN (1, ${BLOCK_DAYS})
    ${COMPUTED_ONCE})`;
const WITH_CLICKS = remainder(`${times(remainder('g.clicks'), seed('fifth'))} + g.columns`);

const SUMS = `WITH ${OWNERS}, ${LINKS}, ${PROGRAMS}
  SELECT
    ${sumOf(`CASE g.span WHEN 1 THEN ${times('g.columns', squareOf('g.on_day'), 'g.weight')} ELSE 0 END`)} AS results,
    ${sumOf(`CASE g.span WHEN 1 THEN ${times(WITH_CLICKS, squareOf('g.in_block'), 'g.weight')}
      ELSE -${times(WITH_CLICKS, squareOf('g.on_day'), 'g.weight')} END`)} AS blocks,
    ${sumOf(`CASE g.span WHEN 1 THEN ${times(WITH_CLICKS, squareOf('g.in_program'))} ELSE 0 END`)} AS programs,
    ${sumOf(`CASE WHEN g.span <> 1 OR g.clicks = 0 OR g.currency <> '' THEN 0
      WHEN g.of_link IS NULL THEN ${seed('strayStored')}
      ELSE ${times(remainder('g.clicks'), squareOf('g.of_link'))} END`)} AS clicks
  FROM ${PLACED} g`;

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

const ALL_COLUMNS = remainder(`${times(remainder('r.clicks'), seed('fifth'))} + ${COLUMNS}`);
const OF_PROGRAMS = `WITH ${PROGRAMS}
  SELECT ${sumOf(times(ALL_COLUMNS, squareOf(IN_PROGRAM)))} AS "sum"
  FROM numbered q CROSS JOIN result_days r
  WHERE r.owner_id = q.id AND r.part IN (${PARTS_OF_PROGRAM}) AND r.span = 1`;

/** The fingerprint of the programs' sums per day; comparable with `programs` of `walkResultDays`. */
export async function walkProgramDays(tx: Transaction, weighted: Weighted): Promise<number> {
  return (await tx.get<{ sum: number }>(OF_PROGRAMS, parametersOf(weighted)))?.sum ?? 0;
}

const OF_CLICKS = `WITH ${LINKS}
  SELECT ${sumOf(times(remainder('c.clicks'), squareOf(ofLink(`c.hour / ${HOURS_OF_DAY}`))))} AS "sum"
  FROM parts k CROSS JOIN link_clicks c WHERE c.link_id = k.id`;

/** The fingerprint of the links' clicks per hour; comparable with `clicks` of `walkResultDays`. */
export async function walkClicks(tx: Transaction, weighted: Weighted): Promise<number> {
  return (await tx.get<{ sum: number }>(OF_CLICKS, parametersOf(weighted)))?.sum ?? 0;
}

/** The fingerprint of leads or sales, of a page or of all; comparable with `results` of `walkResultDays`. */
export interface CountedResults {
  /** Null without any. */
  lastId: string | null;
  count: number;
  sum: number;
}

/** @param rows selects the rows `e`; `days` is the number of the day and the currency, `part` the link */
const resultsOf = (rows: string, columns: string) => `WITH ${OWNERS}, ${LINKS}
  SELECT MAX(e.id) AS "lastId", COUNT(*) AS count,
    ${sumOf(times(columns, scattered(`e.days + ${partOf('e.part', 'strayRow')}`), ownerOf('strayRow')))} AS "sum"
  FROM (${rows}) e LEFT JOIN owners o ON o.id = e.partner_id LEFT JOIN parts k ON k.id = e.part`;

const leadsOf = (page: string) =>
  resultsOf(
    `SELECT e.id, e.partner_id, e.link_id AS part, ${dayNumber(`e.created_at / ${DAY_MS}`, "''", 'strayRow')} AS days
    FROM leads e WHERE e.account_id = @accountId ${page}`,
    '1',
  );
const IF_COUNTED = (value: string) => `CASE WHEN s.voided_reason IS NULL THEN ${value} ELSE 0 END`;
const salesOf = (page: string) =>
  resultsOf(
    `SELECT s.id, s.partner_id, COALESCE(s.link_id, '') AS part,
      ${dayNumber(`s.created_at / ${DAY_MS}`, 's.currency', 'strayRow')} AS days,
      ${IF_COUNTED('1')} AS sales, ${IF_COUNTED('s.amount')} AS revenue, CAST(${COMMISSION_LEFT} AS BIGINT) AS commission
    FROM sales s WHERE s.account_id = @accountId ${page}`,
    columnsOf('0', 'e.sales', 'e.revenue', 'e.commission'),
  );

// SQLite does not merge a query with a limit into the outer one, and so computes the number of each row once.
const LEADS = leadsOf('AND e.id > @afterId ORDER BY e.id LIMIT @limit');
const SALES = salesOf('AND s.id > @afterId ORDER BY s.id LIMIT @limit');
const [ALL_LEADS, ALL_SALES] = [leadsOf(''), salesOf('')];

/** The next leads, or sales, in the order of ids. */
export const walkCounted = {
  leads: (tx: Transaction, weighted: Weighted, page: { afterId: string; limit: number }) =>
    tx.get<CountedResults>(LEADS, { ...parametersOf(weighted), ...page }),
  sales: (tx: Transaction, weighted: Weighted, page: { afterId: string; limit: number }) =>
    tx.get<CountedResults>(SALES, { ...parametersOf(weighted), ...page }),
};

/** All leads, or sales, in the order of the rows on disk, for a snapshot that joins as a whole. */
export const walkAllCounted = {
  leads: (tx: Transaction, weighted: Weighted) => readAll(tx, ALL_LEADS, weighted),
  sales: (tx: Transaction, weighted: Weighted) => readAll(tx, ALL_SALES, weighted),
};

async function readAll(tx: Transaction, sql: string, weighted: Weighted): Promise<CountedResults> {
  // an aggregate always has a row
  return (await tx.get<CountedResults>(sql, parametersOf(weighted))) as CountedResults;
}
