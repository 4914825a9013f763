import { DAY_MS } from '../../core/time.ts';
import { BLOCK_DAYS, PARTS_OF_PROGRAM } from '../../storage/conditions/result-days.ts';
import type { Transaction } from '../../storage/database.ts';
import { columnsOf, OF_LEAD, OF_SALE, STORED_COLUMNS, withClicks } from './result-columns.ts';
import { HOURS_OF_DAY } from './results.ts';
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

/** Where a partner's row is counted: on a day, or on the first day of a block. */
const onDay = (day: string) =>
  otherRemainder(`${dayNumber(day, 'r.currency', 'strayStored')} + ${partOf('r.part', 'strayStored')}`);
const IN_PROGRAM = otherRemainder(`${dayNumber('r.day', 'r.currency', 'strayStored')} + q.n`);
/** Where the clicks of a link are counted, whoever holds it. */
const ofLink = (day: string) => otherRemainder(`${day} * ${seed('day')} + k.n * ${seed('part')}`);

const PLACED = `(SELECT r.span, r.currency, r.clicks, o.weight, ${STORED_COLUMNS} AS columns,
      ${onDay('r.day')} AS on_day, ${onDay(`(r.day / ${BLOCK_DAYS} * ${BLOCK_DAYS})`)} AS in_block,
      ${IN_PROGRAM} AS in_program, CASE WHEN h.link_id IS NOT NULL THEN ${ofLink('r.day')} END AS of_link
    FROM owners o CROSS JOIN partners p CROSS JOIN numbered q CROSS JOIN result_days r
    LEFT JOIN parts k ON k.id = r.part
    LEFT JOIN link_holders h ON h.link_id = CASE WHEN r.clicks <> 0 AND r.span = 1 THEN r.part END AND h.partner_id = r.owner_id
    WHERE p.id = o.id AND q.id = p.program_id AND r.owner_id = o.id AND r.span IN (1, ${BLOCK_DAYS})
    ${COMPUTED_ONCE})`;
const WITH_CLICKS = withClicks('g.columns', 'g.clicks');

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

/** Fingerprints of the partners' sums per day. */
export interface StoredResults {
  /** Comparable with those of leads and sales together. */
  results: number;
  /** Zero if the sums of blocks of days equal those of their days. */
  blocks: number;
  /** Comparable with that of the programs' sums per day. */
  programs: number;
  /** Comparable with that of the links' clicks per hour. */
  clicks: number;
}

const OF_PROGRAMS = `WITH ${PROGRAMS}
  SELECT ${sumOf(times(withClicks(STORED_COLUMNS, 'r.clicks'), squareOf(IN_PROGRAM)))} AS "sum"
  FROM numbered q CROSS JOIN result_days r
  WHERE r.owner_id = q.id AND r.part IN (${PARTS_OF_PROGRAM}) AND r.span = 1`;

const OF_CLICKS = `WITH ${LINKS}
  SELECT ${sumOf(times(remainder('c.clicks'), squareOf(ofLink(`c.hour / ${HOURS_OF_DAY}`))))} AS "sum"
  FROM parts k CROSS JOIN link_clicks c WHERE c.link_id = k.id`;

/** The fingerprint of leads or sales. */
export interface CountedResults {
  count: number;
  sum: number;
}

/** The same of a page. */
export interface CountedPage extends CountedResults {
  /** Null on an empty page. */
  lastId: string | null;
}

/** @param rows selects the rows `e`; `days` is the number of the day and the currency, `part` the link */
const pageOf = (rows: string, columns: string) => `WITH ${OWNERS}, ${LINKS}
  SELECT MAX(e.id) AS "lastId", COUNT(*) AS count,
    ${sumOf(times(columns, scattered(`e.days + ${partOf('e.part', 'strayRow')}`), ownerOf('strayRow')))} AS "sum"
  FROM (${rows}) e LEFT JOIN owners o ON o.id = e.partner_id LEFT JOIN parts k ON k.id = e.part`;

// SQLite does not merge a query with a limit into the outer one, and so computes the number of each row once.
const LEADS = pageOf(
  `SELECT e.id, e.partner_id, e.link_id AS part, ${dayNumber(`e.created_at / ${DAY_MS}`, "''", 'strayRow')} AS days
    FROM leads e WHERE e.account_id = @accountId AND e.id > @afterId ORDER BY e.id LIMIT @limit`,
  OF_LEAD,
);
const SALES = pageOf(
  `SELECT s.id, s.partner_id, COALESCE(s.link_id, '') AS part,
      ${dayNumber(`s.created_at / ${DAY_MS}`, 's.currency', 'strayRow')} AS days,
      ${OF_SALE.sales} AS sales, ${OF_SALE.revenue} AS revenue, ${OF_SALE.commission} AS commission
    FROM sales s WHERE s.account_id = @accountId AND s.id > @afterId ORDER BY s.id LIMIT @limit`,
  columnsOf('0', 'e.sales', 'e.revenue', 'e.commission'),
);

type PageAfter = Readonly<{ afterId: string; limit: number }>;

/** The fingerprints by numbers of partners, links, programs, days and currencies. */
export const walkByNumber = {
  storedDays: (tx: Transaction, weighted: Weighted) => sumsOf<StoredResults>(tx, SUMS, weighted),
  programDays: (tx: Transaction, weighted: Weighted) => sumIn(tx, OF_PROGRAMS, weighted),
  clicks: (tx: Transaction, weighted: Weighted) => sumIn(tx, OF_CLICKS, weighted),
  /** The next leads in the order of ids. */
  leads: (tx: Transaction, weighted: Weighted, page: PageAfter) => sumsOf<CountedPage>(tx, LEADS, weighted, page),
  /** The next sales in the order of ids. */
  sales: (tx: Transaction, weighted: Weighted, page: PageAfter) => sumsOf<CountedPage>(tx, SALES, weighted, page),
};

/** @param sql an aggregate, which always has a row */
async function sumsOf<Row>(tx: Transaction, sql: string, weighted: Weighted, page?: PageAfter): Promise<Row> {
  return (await tx.get<Row>(sql, { ...parametersOf(weighted), ...page })) as Row;
}

async function sumIn(tx: Transaction, sql: string, weighted: Weighted): Promise<number> {
  return (await sumsOf<{ sum: number }>(tx, sql, weighted)).sum;
}
