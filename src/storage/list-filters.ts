import type { SqlParameters } from './database.ts';

/** The bounds of a list query: at most `limit` rows, the newest first, with ids below `beforeId`. */
export interface PageBounds {
  limit: number;
  beforeId: string;
}

/** Filters of a list by name; null when the caller did not set one. */
export type Filters = Readonly<Record<string, string | null>>;

/** How the rows of a page are found: conditions that an index serves, the start of the page, and its order. */
export interface Walk {
  conditions: string;
  before: string;
  order: string;
}

/** A list from `alias`. */
export interface ListSql {
  alias: string;
  /** The column or expression that each filter compares, except for filters that always lead. */
  columns: Readonly<Record<string, string>>;
  /** By filter, those with the fewest rows first. */
  walks: Readonly<Record<string, Walk>>;
}

/**
 * The text after WHERE. The first filter in `walks` that is set leads; the others are checked on its rows. Without one, all
 * rows of the account are walked. The text depends only on which filters are set, so that there are few statements.
 */
export function pageSql(filters: Filters, { alias, columns, walks }: ListSql): string {
  const lead = leadOf(filters, walks);
  const { conditions, before, order } = walks[lead ?? ''] ?? walkOfAccount(alias);
  return `${conditions}${rowConditions(filters, columns, lead)} AND ${before} ${order} LIMIT @limit`;
}

/** The filter by which `pageSql` finds the rows. */
export function leadOf(filters: Filters, walks: ListSql['walks']): string | undefined {
  return Object.keys(walks).find((name) => isSet(filters, name));
}

/**
 * ` AND …` for each filter that is set, except the leading one. As expressions that no index serves, so that neither engine
 * starts with another filter than the leading one, and that PostgreSQL takes for true half of the time: where it expects
 * few rows, it reads all of them and sorts.
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

/** The rows of the account, or those of them that a further condition selects. */
export const walkOfAccount = (alias: string, condition = 'TRUE'): Walk =>
  walkOf(alias, `${alias}.account_id = @accountId AND ${condition}`);

/**
 * The rows that a condition selects, all of one account. It does not name their account, because the primary key begins
 * with it as well: without statistics both engines might walk that instead.
 */
export const walkOf = (alias: string, condition: string): Walk => ({
  conditions: condition,
  before: `${alias}.id < @beforeId`,
  order: `ORDER BY ${alias}.id DESC`,
});

/** The partner `@partnerId` of the account. */
export const PARTNER_OF_ACCOUNT = '(SELECT o.id FROM partners o WHERE o.account_id = @accountId AND o.id = @partnerId)';

/**
 * The rows of a partner, by creation and then by id, which an index of partner, time and id serves: before the row
 * `@beforeId`, or from the start when the account has no such row.
 */
export const walkOfPartner = (alias: string, table: string): Walk => ({
  conditions: `${alias}.partner_id = ${PARTNER_OF_ACCOUNT}`,
  before: `(${alias}.created_at, ${alias}.id) < (COALESCE((SELECT k.created_at FROM ${table} k
      WHERE k.account_id = @accountId AND k.id = @beforeId), ${Number.MAX_SAFE_INTEGER}), @beforeId)`,
  order: `ORDER BY ${alias}.created_at DESC, ${alias}.id DESC`,
});
