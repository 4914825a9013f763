import type { Joins } from '../../src/storage/database.ts';
import type { Engine } from '../helpers/databases.ts';

/** What `run` returns when queries look up each row, and when they read whole tables, as they do on PostgreSQL only. */
export async function inBothWays<T>(engine: Engine, run: (joins: Joins) => Promise<T>): Promise<[each: T, whole: T]> {
  return [await run('each'), await run(engine === 'postgres' ? 'whole' : 'each')];
}
