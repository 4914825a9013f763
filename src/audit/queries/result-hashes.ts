import { DAY_MS } from '../../core/time.ts';
import { BLOCK_DAYS, PARTS_OF_PROGRAM } from '../../storage/conditions/result-days.ts';
import type { Transaction } from '../../storage/database.ts';
import { columnsOf, OF_LEAD, OF_SALE, STORED_COLUMNS, withClicks } from './result-columns.ts';
import type { CountedResults, StoredResults } from './result-fingerprint.ts';
import { HOURS_OF_DAY } from './results.ts';
import { COMPUTED_ONCE, hashOf, parametersOf, remainder, seed, sumOf, times, type Weighted } from './weights.ts';

/**
 * The fingerprints of `result-fingerprint.ts` for a snapshot of PostgreSQL that joins as a whole. Ids weigh what their hash
 * is: numbering partners and links and joining each row with their numbers takes three times as long.
 */

const weightOf = (day: string, ...ids: string[]) => hashOf(`${day} + ${seed('shift')}`, ...ids);
const ofLink = (link: string, day: string) => weightOf(day, link);
const storedOn = (day: string) => weightOf(day, 'r.currency', 'r.part', 'r.owner_id');
const ofProgram = (programId: string) => weightOf('r.day', 'r.currency', programId);

const PLACED = `(SELECT r.span, r.currency, r.clicks, ${STORED_COLUMNS} AS columns,
      ${storedOn('r.day')} AS on_day, ${storedOn(`(r.day / ${BLOCK_DAYS} * ${BLOCK_DAYS})`)} AS in_block,
      ${ofProgram('p.program_id')} AS in_program, CASE WHEN h.link_id IS NOT NULL THEN ${ofLink('r.part', 'r.day')} END AS of_link
    FROM partners p CROSS JOIN result_days r
    LEFT JOIN link_holders h ON h.link_id = CASE WHEN r.clicks <> 0 AND r.span = 1 THEN r.part END AND h.partner_id = r.owner_id
    WHERE p.account_id = @accountId AND r.owner_id = p.id AND r.span IN (1, ${BLOCK_DAYS})
    ${COMPUTED_ONCE})`;
const WITH_CLICKS = withClicks('g.columns', 'g.clicks');

const STORED = `SELECT
    ${sumOf(`CASE g.span WHEN 1 THEN ${times('g.columns', 'g.on_day')} ELSE 0 END`)} AS results,
    ${sumOf(`CASE g.span WHEN 1 THEN ${times(WITH_CLICKS, 'g.in_block')}
      ELSE -${times(WITH_CLICKS, 'g.on_day')} END`)} AS blocks,
    ${sumOf(`CASE g.span WHEN 1 THEN ${times(WITH_CLICKS, 'g.in_program')} ELSE 0 END`)} AS programs,
    ${sumOf(`CASE WHEN g.span <> 1 OR g.clicks = 0 OR g.currency <> '' THEN 0
      WHEN g.of_link IS NULL THEN ${seed('strayStored')} ELSE ${times(remainder('g.clicks'), 'g.of_link')} END`)} AS clicks
  FROM ${PLACED} g`;

const OF_PROGRAMS = `SELECT ${sumOf(times(withClicks(STORED_COLUMNS, 'r.clicks'), ofProgram('r.owner_id')))} AS "sum"
  FROM programs q CROSS JOIN result_days r
  WHERE q.account_id = @accountId AND r.owner_id = q.id AND r.part IN (${PARTS_OF_PROGRAM}) AND r.span = 1`;

const OF_CLICKS = `SELECT ${sumOf(times(remainder('c.clicks'), ofLink('c.link_id', `c.hour / ${HOURS_OF_DAY}`)))} AS "sum"
  FROM links l CROSS JOIN link_clicks c WHERE l.account_id = @accountId AND c.link_id = l.id`;

const countedOf = (columns: string, weight: string) => `COUNT(*) AS count, ${sumOf(times(columns, weight))} AS "sum"`;
const LEADS = `SELECT ${countedOf(OF_LEAD, weightOf(`e.created_at / ${DAY_MS}`, "''", 'e.link_id', 'e.partner_id'))}
  FROM leads e WHERE e.account_id = @accountId`;
const OF_SALES = columnsOf('0', OF_SALE.sales, OF_SALE.revenue, OF_SALE.commission);
const SALE_WEIGHT = weightOf(`s.created_at / ${DAY_MS}`, 's.currency', "COALESCE(s.link_id, '')", 's.partner_id');
const SALES = `SELECT ${countedOf(OF_SALES, SALE_WEIGHT)} FROM sales s WHERE s.account_id = @accountId`;

/** What `result-fingerprint.ts` computes with numbers; leads and sales are read in the order of the rows on disk. */
export const walkByHash = {
  storedDays: (tx: Transaction, weighted: Weighted) => sumsOf<StoredResults>(tx, STORED, weighted),
  programDays: (tx: Transaction, weighted: Weighted) => sumIn(tx, OF_PROGRAMS, weighted),
  clicks: (tx: Transaction, weighted: Weighted) => sumIn(tx, OF_CLICKS, weighted),
  leads: (tx: Transaction, weighted: Weighted) => sumsOf<CountedResults>(tx, LEADS, weighted),
  sales: (tx: Transaction, weighted: Weighted) => sumsOf<CountedResults>(tx, SALES, weighted),
};

/** @param sql an aggregate, which always has a row */
async function sumsOf<Row>(tx: Transaction, sql: string, weighted: Weighted): Promise<Row> {
  return (await tx.get<Row>(sql, parametersOf(weighted))) as Row;
}

async function sumIn(tx: Transaction, sql: string, weighted: Weighted): Promise<number> {
  return (await sumsOf<{ sum: number }>(tx, sql, weighted)).sum;
}
