import type { SqlParameters } from './database.ts';

/** The bounds of a list query: at most `limit` rows, the newest first, with ids below `beforeId`. */
export interface PageBounds {
  limit: number;
  beforeId: string;
  /** What narrows the list; undefined when nothing does. */
  narrowing?: Narrowing | undefined;
}

/**
 * A period and values that many rows share, which narrow a list. To keep the number of SQL texts small, all of them
 * together are one filter, `narrow`; a start of the period is a second one, `period`, which may lead.
 */
export interface Narrowing {
  /** Sorts before the ids of all rows in the period, but only shortly before the first; '' without a start. */
  fromId: string;
  /** Epoch milliseconds: `fromAt` included, `toAt` excluded. */
  fromAt: number;
  toAt: number;
  /** By parameter; null matches any value. */
  values: Readonly<Record<string, string | null>>;
}

/** Filters of a list by name; null when the caller did not set one. */
export type Filters = Readonly<Record<string, string | null>>;

/** How the rows of a page are found: conditions that an index serves, the start of the page, and its order. */
export interface Walk {
  conditions: string;
  before: string;
  /** Ends a walk over many rows at the start of the period. */
  from?: string;
  order: string;
  sortedBy: RowOrder;
}

/** Newest first, either by id, or by creation time and then id. */
export type RowOrder = 'id' | 'time';

/** A list from `alias`. */
export interface ListSql {
  alias: string;
  /** The column or expression that each filter compares, except for filters that always lead. */
  columns: Readonly<Record<string, string>>;
  /** By filter; filters that match the fewest rows come first. */
  walks: Readonly<Record<string, Walk>>;
  /** The time column that a period compares, and the columns of the other values, by parameter. */
  narrow?: { time: string; columns: Readonly<Record<string, string>> };
}

/**
 * The text after WHERE. The first filter in `walks` that is set leads; the others are checked on its rows. Without one, all
 * rows of the account are walked. The text depends only on which filters are set, so that there are few statements.
 */
export function pageSql(filters: Filters, list: ListSql): string {
  const { alias, columns, walks } = list;
  const lead = leadOf(filters, walks);
  const { conditions, before, from, order } = walks[lead ?? ''] ?? walkOfAccount(alias);
  const others = rowConditions(filters, columns, lead) + narrowSql(filters, list);
  const end = from !== undefined && isSet(filters, 'period') ? ` AND ${from}` : '';
  return `${conditions}${others} AND ${before}${end} ${order} LIMIT @limit`;
}

/**
 * ` AND …` for what narrows the list, as an expression that no index serves, like those of `rowConditions`. PostgreSQL
 * estimates that it is nearly always true, so the plan stays that of the list without it.
 */
export function narrowSql(filters: Filters, { narrow }: Pick<ListSql, 'narrow'>): string {
  if (narrow === undefined || !(isSet(filters, 'narrow') || isSet(filters, 'period'))) return '';
  const values = Object.entries(narrow.columns).map(
    ([name, column]) => ` AND (CAST(@${name} AS TEXT) IS NULL OR ${column} = @${name})`,
  );
  const condition = `${narrow.time} >= @fromAt AND ${narrow.time} < @toAt${values.join('')}`;
  return ` AND CASE WHEN ${condition} THEN 1 ELSE 0 END <> 0`;
}

/** The parameters of a list query: its bounds, its narrowing and the filters that are set. */
export function listParameters(filters: Filters, { limit, beforeId, narrowing }: PageBounds): SqlParameters {
  const { values = {}, ...period } = narrowing ?? { fromId: '', fromAt: 0, toAt: Number.MAX_SAFE_INTEGER };
  return { ...values, ...filterParameters(filters), ...period, limit, beforeId };
}

/** The filter by which `pageSql` finds the rows. */
export function leadOf(filters: Filters, walks: ListSql['walks']): string | undefined {
  return Object.keys(walks).find((name) => isSet(filters, name));
}

/** How `pageSql` sorts the rows of one partner; the filter `partnerId` may be missing. */
export function orderOfPartner(filters: Filters, walks: ListSql['walks']): RowOrder {
  const lead = leadOf({ ...filters, partnerId: '' }, walks);
  return walks[lead ?? '']?.sortedBy ?? 'id';
}

/**
 * ` AND …` for each filter that is set, except the leading one. They are expressions that no index serves, so that
 * neither engine starts with a filter other than the leading one, and that PostgreSQL estimates to be true for half of
 * the rows: where it expects few rows, it reads all of them and sorts.
 */
export function rowConditions(filters: Filters, columns: ListSql['columns'], lead?: string): string {
  return Object.entries(columns)
    .filter(([name]) => name !== lead && isSet(filters, name))
    .map(([name, column]) => ` AND COALESCE(${column} = @${name}, FALSE)`)
    .join('');
}

/**
 * ` AND …` for the filters that are set, in the order of `conditions`. The text depends only on which filters are set, so
 * that there are few statements and each can use its index.
 */
export function filterSql(filters: Filters, conditions: Readonly<Record<string, string>>): string {
  return Object.entries(conditions)
    .filter(([name]) => isSet(filters, name))
    .map(([, condition]) => ` AND ${condition}`)
    .join('');
}

export function isSet(filters: Filters, name: string): boolean {
  return filters[name] !== null && filters[name] !== undefined;
}

/** The parameters of the filters that are set. */
export function filterParameters(filters: Filters): SqlParameters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null));
}

/** The rows of the account, or those that also match a condition. */
export const walkOfAccount = (alias: string, condition = 'TRUE'): Walk =>
  walkOf(alias, `${alias}.account_id = @accountId AND ${condition}`);

/**
 * The rows that a condition selects, all of one account. The condition leaves out the account, because the primary key
 * also begins with it: without statistics, both engines might walk the primary key instead.
 */
export const walkOf = (alias: string, condition: string): Walk => ({
  conditions: condition,
  before: `${alias}.id < @beforeId`,
  order: `ORDER BY ${alias}.id DESC`,
  sortedBy: 'id',
});

/** Like `walkOf`, for few rows, which PostgreSQL sorts: in the order of ids, it might walk the rows of all accounts. */
export const walkOfFew = (alias: string, condition: string): Walk => ({
  ...walkOf(alias, condition),
  order: `ORDER BY ${alias}.id /* postgres: || '' */ DESC`,
});

/** The rows of the account from the start of the period on. */
export const walkOfPeriod = (alias: string): Walk => walkOfAccount(alias, `${alias}.id >= @fromId`);

/** The partner `@partnerId` of the account, which is compared as an expression, so that no index of the account is read. */
export const PARTNER_OF_ACCOUNT =
  "(SELECT o.id FROM partners o WHERE o.account_id || '' = @accountId AND o.id = @partnerId)";

/**
 * The rows of a partner by creation time and then id, served by an index of partner, time and id: those before the row
 * `@beforeId`, or before `@toAt` when the account has no such row.
 */
export const walkOfPartner = (alias: string, table: string): Walk => ({
  conditions: `${alias}.partner_id = ${PARTNER_OF_ACCOUNT}`,
  before: `(${alias}.created_at, ${alias}.id) < (COALESCE((SELECT k.created_at FROM ${table} k
      WHERE k.account_id = @accountId AND k.id = @beforeId), @toAt), @beforeId)`,
  // a row comparison, because PostgreSQL expects very few rows between two bounds of a column and would sort them
  from: `(${alias}.created_at, ${alias}.id) >= (@fromAt, @fromId)`,
  order: `ORDER BY ${alias}.created_at DESC, ${alias}.id DESC`,
  sortedBy: 'time',
});
