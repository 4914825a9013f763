import type { SqlParameters } from './database.ts';

/** What a list query takes: at most `limit` rows, the newest first, ids below `beforeId`. */
export interface PageBounds {
  limit: number;
  beforeId: string;
}

/** Filters of a list by name; null where the caller did not ask. */
export type Filters = Readonly<Record<string, string | null>>;

/**
 * ` AND …` for the filters that were asked for, in the order of `conditions`; the text differs only in which those are,
 * so that statements stay few and every one can use its index.
 */
export function filterSql(filters: Filters, conditions: Readonly<Record<string, string>>): string {
  return Object.entries(conditions)
    .filter(([name]) => filters[name] !== null && filters[name] !== undefined)
    .map(([, condition]) => ` AND ${condition}`)
    .join('');
}

/** The parameters of the filters that were asked for. */
export function filterParameters(filters: Filters): SqlParameters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null));
}
