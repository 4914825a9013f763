import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createLockMemory, MAIN_THREAD, WriteLock } from '../../src/storage/sqlite/write-lock.ts';
import { createTestDatabase, type Engine } from './databases.ts';

export interface ReportDatabase {
  /** As in a server: on SQLite, reports have a thread. */
  database: Database;
  url: string;
  /** The problems reported to an operator. */
  problems: string[];
  writeLock: WriteLock;
  remove(): Promise<void>;
}

export async function createReportDatabase(engine: Engine): Promise<ReportDatabase> {
  const { url, remove } = await createTestDatabase(engine);
  const problems: string[] = [];
  const onProblem = (message: string) => {
    problems.push(message);
  };
  const writeLock = new WriteLock(createLockMemory(), MAIN_THREAD);
  const database = await openDatabase(url, { sqlite: { writeLock, reportThread: { onProblem } } });
  return {
    database,
    url,
    problems,
    writeLock,
    async remove() {
      await database.close();
      await remove();
    },
  };
}

/** Counts to `last`, which takes SQLite a second per three to ten million, and returns no row until then. */
export function countTo(last: number): string {
  return `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last}) SELECT COUNT(*) AS count FROM numbers`;
}

/** Never ends by itself. On SQLite, it returns to JavaScript several times per second. */
export const ENDLESS: Record<Engine, string> = {
  sqlite:
    'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) SELECT n FROM numbers WHERE n % 500000 = 0',
  postgres: 'SELECT CAST(pg_sleep(3600) AS TEXT) AS slept',
};

/** Takes a second or two. */
export const SLOW: Record<Engine, string> = {
  sqlite: countTo(5_000_000),
  postgres: 'SELECT CAST(pg_sleep(2) AS TEXT) AS slept',
};

/** A deadline for `SLOW` on a busy machine. */
export const LONG_DEADLINE = { deadlineMs: 60_000 };
