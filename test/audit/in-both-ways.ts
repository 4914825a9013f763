import type { Joins } from '../../src/storage/database.ts';

/** What `run` returns when queries look up each row, and when they read whole tables. */
export async function inBothWays<T>(run: (joins: Joins) => Promise<T>): Promise<[each: T, whole: T]> {
  return [await run('each'), await run('whole')];
}
