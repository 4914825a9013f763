import type { AccountId, LinkId, PartnerId, ProgramId } from '../../core/ids.ts';
import { type BLOCK_DAYS, PARTS_OF_PROGRAM } from '../../storage/conditions/result-days.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, filterSql } from '../../storage/list-filters.ts';
import { manyIds } from '../../storage/many-ids.ts';
import { manyRows } from '../../storage/many-rows.ts';

/** The counts of a day. Amounts are minor units of one currency, negative for reversals. */
export interface Counts {
  clicks: number;
  leads: number;
  sales: number;
  /** The sum of the sales before refunds. */
  revenue: number;
  /** The commission of the sales less reversals. */
  commission: number;
}

/** A row of `result_days`. */
export interface ResultDay extends Counts {
  ownerId: string;
  part: string;
  /** The number of days that the row sums up. */
  span: Span;
  /** The first of these days, as days since 1970 (UTC). */
  day: number;
  /** '' for clicks and leads. */
  currency: string;
}

export type Span = 1 | typeof BLOCK_DAYS;

/** `fromDay` inclusive, `toDay` exclusive; days since 1970, UTC. */
export interface DayRange {
  fromDay: number;
  toDay: number;
}

/** Adds to the rows and creates missing ones, in the given order. */
export const addToDays = manyRows<keyof ResultDay>({
  before: `INSERT INTO result_days
    (owner_id, part, span, day, currency, clicks, leads, sales, revenue, commission) VALUES`,
  names: ['ownerId', 'part', 'span', 'day', 'currency', 'clicks', 'leads', 'sales', 'revenue', 'commission'],
  after: `ON CONFLICT (owner_id, part, span, day, currency) DO UPDATE SET
    clicks = result_days.clicks + excluded.clicks, leads = result_days.leads + excluded.leads,
    sales = result_days.sales + excluded.sales, revenue = result_days.revenue + excluded.revenue,
    commission = result_days.commission + excluded.commission`,
});

const SUMS = ['clicks', 'leads', 'sales', 'revenue', 'commission']
  .map((column) => `CAST(SUM(r.${column}) AS BIGINT) AS "${column}"`)
  .join(', ');

const IN_DAYS = 'r.span = @span AND r.day >= @fromDay AND r.day < @toDay';

/** One entry for each range that `sumLinks` adds up at once. */
const RANGES = [0, 1, 2];
const NO_RANGE = { span: 1, fromDay: 0, toDay: 0 };

const sumLinksInRanges = manyIds<Counts & { linkId: LinkId; currency: string }>((list) =>
  RANGES.map(
    (place) => `SELECT r.part AS "linkId", r.currency, ${SUMS}
     FROM link_holders h JOIN result_days r ON r.owner_id = h.partner_id AND r.part = h.link_id
     WHERE h.link_id IN ${list}
       AND r.span = @span${place} AND r.day >= @fromDay${place} AND r.day < @toDay${place}
     GROUP BY r.part, r.currency`,
  ).join(' UNION ALL '),
);

/**
 * The sums of these links in up to three ranges of days or blocks, by range, link and currency, regardless of who held
 * them.
 */
export function sumLinks(tx: Transaction, linkIds: readonly LinkId[], ranges: readonly (DayRange & { span: Span })[]) {
  const bounds = RANGES.flatMap((place) => {
    const { span, fromDay, toDay } = ranges[place] ?? NO_RANGE;
    return [
      [`span${place}`, span],
      [`fromDay${place}`, fromDay],
      [`toDay${place}`, toDay],
    ];
  });
  return sumLinksInRanges(tx, linkIds, Object.fromEntries(bounds));
}

/** The sums of some of a partner's links in a range of days or blocks, while the partner held them. */
export const sumLinksOfPartner = manyIds<Counts & { linkId: LinkId; currency: string }>(
  (list) => `SELECT r.part AS "linkId", r.currency, ${SUMS} FROM result_days r
     WHERE r.owner_id = @partnerId AND r.part IN ${list} AND ${IN_DAYS} GROUP BY r.part, r.currency`,
);

/** Everyone who holds or held this link of the account. The link's leads and sales are among theirs. */
export async function findHolders(tx: Transaction, accountId: AccountId, linkId: string): Promise<PartnerId[]> {
  const rows = await tx.all<{ id: PartnerId }>(
    `SELECT h.partner_id AS id FROM links l JOIN link_holders h ON h.link_id = l.id
     WHERE l.account_id = @accountId AND l.id = @linkId`,
    { accountId, linkId },
  );
  return rows.map(({ id }) => id);
}

/** Filters by id; null for all. */
export interface ResultFilters extends Filters {
  programId: string | null;
  partnerId: string | null;
  linkId: string | null;
}

/** The sources of the filtered rows, smallest first. */
const OF_LINK = {
  from: `links l JOIN link_holders h ON h.link_id = l.id JOIN result_days r ON r.owner_id = h.partner_id AND r.part = l.id
    WHERE l.account_id = @accountId`,
  conditions: {
    linkId: 'l.id = @linkId',
    partnerId: 'h.partner_id = @partnerId',
    programId: 'l.program_id = @programId',
  },
};
const OF_PARTNER = {
  from: 'partners p JOIN result_days r ON r.owner_id = p.id WHERE p.account_id = @accountId',
  conditions: { partnerId: 'p.id = @partnerId', programId: 'p.program_id = @programId' },
};
const OF_PROGRAMS = {
  from: `programs JOIN result_days r ON r.owner_id = programs.id AND r.part IN (${PARTS_OF_PROGRAM})
    WHERE programs.account_id = @accountId`,
  conditions: { programId: 'programs.id = @programId' },
};

/** The account's sums, sorted by day and currency. Days without results are missing. */
export function sumDays(tx: Transaction, accountId: AccountId, filters: ResultFilters, days: DayRange) {
  const { linkId, partnerId } = filters;
  const { from, conditions } = linkId ? OF_LINK : partnerId ? OF_PARTNER : OF_PROGRAMS;
  return tx.all<Counts & { day: number; currency: string }>(
    `SELECT r.day, r.currency, ${SUMS} FROM ${from}${filterSql(filters, conditions)} AND ${IN_DAYS}
     GROUP BY r.day, r.currency ORDER BY r.day, r.currency`,
    { accountId, ...filterParameters(filters), ...days, span: 1 },
  );
}

/**
 * True when one of the account's programs ever had a sale in this currency. Reads at most one row per program, day and
 * part.
 */
export async function hasSalesIn(tx: Transaction, accountId: AccountId, currency: string): Promise<boolean> {
  const found = await tx.get(
    `SELECT r.day FROM programs JOIN result_days r ON r.owner_id = programs.id AND r.part IN (${PARTS_OF_PROGRAM})
     WHERE programs.account_id = @accountId AND r.span = 1 AND r.currency = @currency LIMIT 1`,
    { accountId, currency },
  );
  return found !== undefined;
}

/** The counts of a day; `currency` is '' for clicks and leads. */
export interface DaySums extends Omit<Counts, 'commission'> {
  day: number;
  currency: string;
}

/** A program's sums from a day on (days since 1970, UTC), by day and currency. */
export function sumRecentDays(tx: Transaction, programId: ProgramId, fromDay: number) {
  return tx.all<DaySums>(
    `SELECT r.day, r.currency, CAST(SUM(r.clicks) AS BIGINT) AS clicks, CAST(SUM(r.leads) AS BIGINT) AS leads,
       CAST(SUM(r.sales) AS BIGINT) AS sales, CAST(SUM(r.revenue) AS BIGINT) AS revenue
     FROM result_days r
     WHERE r.owner_id = @programId AND r.part IN (${PARTS_OF_PROGRAM}) AND r.span = 1 AND r.day >= @fromDay
     GROUP BY r.day, r.currency`,
    { programId, fromDay },
  );
}
