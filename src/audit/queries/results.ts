import type { AccountId, LinkId, PartnerId, ProgramId } from '../../core/ids.ts';
import { DAY_MS } from '../../core/time.ts';
import { BLOCK_DAYS, PARTS_OF_PROGRAM } from '../../storage/conditions/result-days.ts';
import type { Transaction } from '../../storage/database.ts';

/** `fromDay` included, `toDay` excluded; days since 1970, UTC. */
export interface Days {
  fromDay: number;
  toDay: number;
}

/** By how much the sums of one day exceed the rows that they count. */
export interface Excess {
  /** Of a partner: the link, or '' for sales without one. */
  part: string;
  day: number;
  currency: string;
  clicks: number;
  leads: number;
  sales: number;
  revenue: number;
  commission: number;
}

export const HOURS_OF_DAY = 24;
/** The greatest value of `hour` that both engines can store. */
const LAST_HOUR = 2_147_483_647;
export const COUNTS = ['clicks', 'leads', 'sales', 'revenue', 'commission'] as const;

const PARTNER_PAGE = `SELECT p.id FROM partners p WHERE p.account_id = @accountId AND p.id > @afterId
  ORDER BY p.id LIMIT @limit`;
const LINK_PAGE = `SELECT l.id FROM links l WHERE l.account_id = @accountId AND l.id > @afterId
  ORDER BY l.id LIMIT @limit`;
const PROGRAM_PAGE = `SELECT programs.id FROM programs WHERE programs.account_id = @accountId AND programs.id > @afterId
  ORDER BY programs.id LIMIT @limit`;

type PageAfter = Readonly<{ afterId: string; limit: number }>;

export function findPartnerIds(tx: Transaction, accountId: AccountId, page: PageAfter) {
  return tx.all<{ id: PartnerId }>(PARTNER_PAGE, { accountId, ...page });
}

export function findLinkIds(tx: Transaction, accountId: AccountId, page: PageAfter) {
  return tx.all<{ id: LinkId }>(LINK_PAGE, { accountId, ...page });
}

export function findProgramIds(tx: Transaction, accountId: AccountId, page: PageAfter) {
  return tx.all<{ id: ProgramId }>(PROGRAM_PAGE, { accountId, ...page });
}

/** How many leads and sales a partner has according to its sums, by day, in the order of the days. */
export function findDaySizes(tx: Transaction, ownerId: PartnerId) {
  return tx.all<{ day: number; size: number }>(
    `SELECT r.day, CAST(SUM(r.leads + r.sales) AS BIGINT) AS "size" FROM result_days r WHERE r.owner_id = @ownerId AND r.span = 1
     GROUP BY r.day ORDER BY r.day`,
    { ownerId },
  );
}

/** Sums minus the rows that they count, where that is not zero. One statement sees both at the same instant. */
const excessOf = (terms: readonly string[]) => `
  SELECT compared.part, compared.day, compared.currency, ${COUNTS.map((name) => `CAST(SUM(compared.${name}) AS BIGINT) AS "${name}"`).join(', ')}
  FROM (${terms.join(' UNION ALL ')}) compared
  GROUP BY compared.part, compared.day, compared.currency
  HAVING ${COUNTS.map((name) => `SUM(compared.${name}) <> 0`).join(' OR ')}
  ORDER BY compared.part, compared.day, compared.currency`;

/** @param part and `clicks`: expressions over the row `r` */
const stored = (part: string, clicks: string) => `
  SELECT ${part} AS part, r.day, r.currency, ${clicks} AS clicks, r.leads, r.sales, r.revenue, r.commission
  FROM result_days r WHERE r.owner_id = @id AND r.span = 1 AND r.day >= @fromDay AND r.day < @toDay`;

const IN_DAYS = (row: string) => `${row}.created_at >= @from AND ${row}.created_at < @to`;

/** @param part an expression over the lead `e`; `from` selects leads */
const minusLeads = (part: string, from: string) => `
  SELECT ${part} AS part, e.created_at / ${DAY_MS} AS day, '' AS currency, 0, -COUNT(*), 0, 0, 0
  FROM ${from} AND ${IN_DAYS('e')}
  GROUP BY 1, 2`;

/**
 * The commission less its reversals. Only refunded, rejected and voided sales have any, which the audit of sales
 * ensures.
 */
export const COMMISSION_LEFT = `s.commission_amount
    + CASE WHEN s.refunded_amount <> 0 OR s.voided_reason IS NOT NULL OR s.review = 'rejected' THEN
      (SELECT COALESCE(SUM(t.amount), 0) FROM ledger_entries t WHERE t.sale_id = s.id AND t.kind = 'reversal') ELSE 0 END`;

/** @param part an expression over the sale `s`; `from` selects sales */
const minusSales = (part: string, from: string) => `
  SELECT ${part} AS part, s.created_at / ${DAY_MS} AS day, s.currency, 0, 0,
    -SUM(CASE WHEN s.voided_reason IS NULL THEN 1 ELSE 0 END),
    -SUM(CASE WHEN s.voided_reason IS NULL THEN s.amount ELSE 0 END), -SUM(${COMMISSION_LEFT})
  FROM ${from} AND ${IN_DAYS('s')}
  GROUP BY 1, 2, 3`;

const PARTNERS_OF_PROGRAM = '(SELECT i.id FROM partners i WHERE i.program_id = @id) p';

const OF_PARTNER = excessOf([
  // a click does not say who had its link
  stored('r.part', '0'),
  minusLeads('e.link_id', 'leads e WHERE e.partner_id = @id'),
  minusSales("COALESCE(s.link_id, '')", 'sales s WHERE s.partner_id = @id'),
]);

const OF_PROGRAM = excessOf([
  `${stored("''", 'r.clicks')} AND r.part IN (${PARTS_OF_PROGRAM})`,
  `SELECT '' AS part, c.hour / ${HOURS_OF_DAY} AS day, '' AS currency, -SUM(c.clicks), 0, 0, 0, 0
   FROM ${PARTNERS_OF_PROGRAM} JOIN links l ON l.partner_id = p.id
   JOIN link_clicks c ON c.link_id = l.id
     AND c.hour >= @fromHour AND c.hour < @toHour
   GROUP BY c.hour / ${HOURS_OF_DAY}`,
  minusLeads("''", `${PARTNERS_OF_PROGRAM} CROSS JOIN leads e WHERE e.partner_id = p.id`),
  minusSales("''", `${PARTNERS_OF_PROGRAM} CROSS JOIN sales s WHERE s.partner_id = p.id`),
]);

/** The sums of a program, or of some of its partners, on one day in one currency. */
export type ProgramDay = Omit<Excess, 'part'>;

const SUMS = COUNTS.map((name) => `CAST(SUM(r.${name}) AS BIGINT) AS "${name}"`).join(', ');

export function sumProgram(tx: Transaction, id: ProgramId) {
  return tx.all<ProgramDay>(
    `SELECT r.day, r.currency, ${SUMS} FROM result_days r
     WHERE r.owner_id = @id AND r.part IN (${PARTS_OF_PROGRAM}) AND r.span = 1
     GROUP BY r.day, r.currency ORDER BY r.day, r.currency`,
    { id },
  );
}

/** The partners from `firstId` up to and including `lastId`. */
export interface PartnerRange {
  firstId: PartnerId;
  lastId: PartnerId;
}

/**
 * The sums of a program's partners in a range, by day and currency. The range is repeated for PostgreSQL's estimate.
 */
export function sumPartners(tx: Transaction, id: ProgramId, range: PartnerRange) {
  return tx.all<ProgramDay>(
    `SELECT r.day, r.currency, ${SUMS} FROM partners p CROSS JOIN result_days r
     WHERE p.program_id = @id AND p.id >= @firstId AND p.id <= @lastId
       AND r.owner_id = p.id AND r.owner_id >= @firstId AND r.owner_id <= @lastId AND r.span = 1
     GROUP BY r.day, r.currency`,
    { id, ...range },
  );
}

const OF_LINK = excessOf([
  `SELECT '' AS part, r.day, '' AS currency, r.clicks, 0 AS leads, 0 AS sales, 0 AS revenue, 0 AS commission
   FROM link_holders h JOIN result_days r ON r.owner_id = h.partner_id AND r.part = h.link_id AND r.span = 1
   WHERE h.link_id = @id AND r.currency = ''`,
  `SELECT '' AS part, c.hour / ${HOURS_OF_DAY} AS day, '' AS currency, -SUM(c.clicks), 0, 0, 0, 0
   FROM link_clicks c WHERE c.link_id = @id GROUP BY c.hour / ${HOURS_OF_DAY}`,
]);

const OF_BLOCKS = excessOf([
  `SELECT r.part, r.day, r.currency, r.clicks, r.leads, r.sales, r.revenue, r.commission
   FROM result_days r WHERE r.owner_id = @id AND r.span = ${BLOCK_DAYS}`,
  `SELECT r.part, r.day / ${BLOCK_DAYS} * ${BLOCK_DAYS}, r.currency, -SUM(r.clicks), -SUM(r.leads), -SUM(r.sales),
     -SUM(r.revenue), -SUM(r.commission)
   FROM result_days r WHERE r.owner_id = @id AND r.span = 1 GROUP BY 1, 2, 3`,
]);

/** The excess of a partner's sums of blocks of days over its sums of days; `day` is the first of a block. */
export function findBlockExcess(tx: Transaction, id: PartnerId) {
  return tx.all<Excess>(OF_BLOCKS, { id });
}

/** The excess of a partner's sums in these days over its leads, sales and reversals, by link, day and currency. */
export function findPartnerExcess(tx: Transaction, id: PartnerId, days: Days) {
  return tx.all<Excess>(OF_PARTNER, { id, ...boundsOf(days) });
}

/** The excess of a program's sums in these days over its clicks, leads, sales and reversals, by day and currency. */
export function findProgramExcess(tx: Transaction, id: ProgramId, days: Days) {
  return tx.all<Excess>(OF_PROGRAM, { id, ...boundsOf(days) });
}

/** The excess of the clicks counted for everyone who ever held a link over the link's clicks per hour, by day. */
export function findLinkExcess(tx: Transaction, id: LinkId) {
  return tx.all<Excess>(OF_LINK, { id });
}

function boundsOf({ fromDay, toDay }: Days) {
  const hours = { fromHour: fromDay * HOURS_OF_DAY, toHour: Math.min(toDay * HOURS_OF_DAY, LAST_HOUR) };
  return { fromDay, toDay, from: fromDay * DAY_MS, to: toDay * DAY_MS, ...hours };
}
