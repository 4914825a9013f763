import type { SqlParameters } from './database.ts';

/** The bounds of a list query: at most `limit` rows, the newest first, with ids below `beforeId`. */
export interface PageBounds {
  limit: number;
  beforeId: string;
}

/** Filters of a list by name; null when the caller did not set one. */
export type Filters = Readonly<Record<string, string | null>>;

/**
 * ` AND …` for the filters that are set, in the order of `conditions`. The text depends only on which filters are set, so
 * that there are few statements and each can use its index.
 */
export function filterSql(filters: Filters, conditions: Readonly<Record<string, string>>): string {
  return Object.entries(conditions)
    .filter(([name]) => filters[name] !== null && filters[name] !== undefined)
    .map(([, condition]) => ` AND ${condition}`)
    .join('');
}

/** The parameters of the filters that are set. */
export function filterParameters(filters: Filters): SqlParameters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null));
}
