import type { MigrationTarget } from '../migrate.ts';
import { withPostgresClauses } from '../sql-text.ts';
import { type PostgresSession, UNLESS_SILENT } from './session.ts';

/** An arbitrary advisory lock that only migrations take. */
const MIGRATION_LOCK = 7_237_912_246_501;

export function migrationTargetOn(session: PostgresSession): MigrationTarget {
  return {
    async hasTable(name) {
      const row = await session.get('SELECT to_regclass(@name) AS found', { name });
      return (row as { found: string | null }).found !== null;
    },
    all: (sql, parameters = {}) => session.all(sql, parameters),
    run: (sql, parameters) => session.run(sql, parameters),
    async rowsOf(table) {
      const found = await session.get(
        'SELECT CAST(MAX(reltuples) AS bigint) AS estimate FROM pg_class WHERE oid = to_regclass(@table)',
        { table },
      );
      const { estimate } = found as { estimate: number | null };
      if (estimate === null) return 0;
      if (estimate > 0) return estimate;
      // never analyzed, or only while it was empty, so it is young and small
      return ((await session.get(`SELECT COUNT(*) AS count FROM "${table}"`, {})) as { count: number }).count;
    },
    async bytes() {
      const size = await session.get('SELECT pg_database_size(current_database()) AS bytes', {});
      return (size as { bytes: number }).bytes;
    },
    spaceFor: async (bytes) => ({ neededBytes: bytes, freeBytes: null }),
    textFor: withPostgresClauses,
    execute: (sql) => session.execute(sql),
    async exclusively(work) {
      await session.execute(
        `BEGIN ISOLATION LEVEL READ COMMITTED; ${UNLESS_SILENT}; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`,
      );
      try {
        const result = await work();
        await session.execute('COMMIT');
        return result;
      } catch (error) {
        // fails with the connection, whose end rolls back as well
        await session.execute('ROLLBACK').catch(() => {});
        throw error;
      }
    },
  };
}
