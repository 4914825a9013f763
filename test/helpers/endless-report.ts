import type { Database } from '../../src/storage/database.ts';
import type { Engine } from './databases.ts';
import { executeOnServer } from './postgres-server.ts';
import { ENDLESS, LONG_DEADLINE } from './report-databases.ts';

const ITS_BACKEND = `FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%pg_sleep(3600)%'`;

/**
 * Starts a report of one query, which runs until the test ends it. Settles when PostgreSQL runs it; the thread of SQLite
 * gets it before anything that is asked later.
 */
export async function startEndlessReport(
  database: Database,
  engine: Engine,
  url: string,
): Promise<{ end(): Promise<void> }> {
  const over = Promise.withResolvers<void>();
  const report = database.report((tx) => Promise.race([tx.all(ENDLESS[engine]), over.promise]), LONG_DEADLINE);
  const isRunning = async () => (await executeOnServer(url, `SELECT pid ${ITS_BACKEND}`)).length > 0;
  while (engine === 'postgres' && !(await isRunning()));
  return {
    async end() {
      over.resolve();
      await report;
      // otherwise, it would occupy its connection for an hour
      if (engine === 'postgres') await executeOnServer(url, `SELECT pg_cancel_backend(pid) ${ITS_BACKEND}`);
    },
  };
}
