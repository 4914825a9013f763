import pg from 'pg';
import type { Database, SqlParameters, Transaction } from '../database.ts';
import { InFlightWork } from '../in-flight-work.ts';
import { type MigrateOptions, type Migration, type MigrationTarget, migrate } from '../migrate.ts';
import { createReadTransaction } from '../read-transaction.ts';
import { REPORT_DEADLINE_MS } from '../report-deadline.ts';
import { WriteTransaction } from '../write-transaction.ts';
import { databaseFailureFrom } from './failure.ts';
import { PostgresReports, REPORT_CONNECTIONS_MAX } from './reports.ts';
import { POSTGRES_TYPES, PostgresSession, PostgresStatements } from './session.ts';
import { runOnConnection, withRetries } from './write.ts';

const WRITE_CONNECTIONS_MAX = 10;
const READ_CONNECTIONS_MAX = 5;
const OPENING_TIMEOUT_MS = 5_000;
/** An arbitrary advisory lock that only migrations take. */
const MIGRATION_LOCK = 7_237_912_246_501;

/** Together with at most 2.5 s of retries, a request to an unreachable database fails within about 5 s. */
const TIMEOUTS = {
  connectionTimeoutMillis: 2_000,
  lock_timeout: 2_000,
  statement_timeout: 4_500,
  // for a server that cannot even report that the statement timed out
  query_timeout: 5_000,
  idle_in_transaction_session_timeout: 10_000,
};

/**
 * Connects, migrates the schema, and keeps a pool for writes and two read-only ones: for look-ups, and for reports, so that
 * a look-up never waits for a report.
 *
 * @param url `postgres://user:password@host:port/name`
 * @throws SchemaMismatch when its schema may not be migrated, or is newer than `migrations`; Error when the server cannot be
 *   reached, or commits are not durable
 */
export async function openPostgres(
  url: string,
  migrations: readonly Migration[],
  migrating: MigrateOptions = {},
): Promise<Database> {
  const schemaVersion = await prepareSchema(url, migrations, migrating);
  const config: pg.PoolConfig = { connectionString: url, types: POSTGRES_TYPES, keepAlive: true, ...TIMEOUTS };
  const writers = createPool({ ...config, max: WRITE_CONNECTIONS_MAX });
  const readOnly: pg.PoolConfig = { ...config, options: '-c default_transaction_read_only=on' };
  const readers = createPool({ ...readOnly, max: READ_CONNECTIONS_MAX });
  const statements = new PostgresStatements();
  const reports = new PostgresReports(createPool({ ...readOnly, max: REPORT_CONNECTIONS_MAX }), statements);
  const reading = createReader(readers, statements);
  const inFlight = new InFlightWork();
  return {
    engine: 'postgres',
    schemaVersion,
    write: (unit) => inFlight.track(() => withRetries(() => runOnConnection(writers, statements, unit))),
    read: (unit) => inFlight.track(() => withRetries(() => unit(reading))),
    report: (unit, { deadlineMs = REPORT_DEADLINE_MS } = {}) => inFlight.track(() => reports.run(unit, deadlineMs)),
    durability: () => inFlight.track(() => withRetries(async () => ({ synchronous: await synchronousOf(reading) }))),
    close: () => inFlight.close(() => Promise.all([writers.end(), readers.end(), reports.end()])),
  };
}

function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  // A connection that breaks while idle is replaced; one that breaks in use fails its query.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

function createReader(pool: pg.Pool, statements: PostgresStatements): Transaction {
  async function rowsOf(sql: string, parameters: SqlParameters): Promise<unknown[]> {
    const query = statements.queryFor(sql, parameters);
    try {
      return (await pool.query(query)).rows;
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === '25006') throw new Error('A read must not write');
      throw databaseFailureFrom(error) ?? error;
    }
  }
  return createReadTransaction({
    all: rowsOf,
    get: async (sql, parameters) => (await rowsOf(sql, parameters))[0],
  });
}

/** `on` when acknowledged commits are on disk; otherwise the setting that prevents it. */
async function synchronousOf(transaction: Pick<Transaction, 'get'>): Promise<string> {
  const settings = await transaction.get<{ fsync: string; commit: string }>(
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit",
  );
  if (settings?.fsync !== 'on') return 'fsync=off';
  // local, remote_write and remote_apply flush to this server's disk as well.
  return settings.commit === 'off' ? 'synchronous_commit=off' : 'on';
}

/** Uses a separate connection without timeouts, because a migration may take long. */
async function prepareSchema(
  url: string,
  migrations: readonly Migration[],
  { announce, ...migrating }: MigrateOptions,
): Promise<number> {
  const client = new pg.Client({
    connectionString: url,
    types: POSTGRES_TYPES,
    connectionTimeoutMillis: OPENING_TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw new Error('PostgreSQL cannot be reached; check DATABASE_URL and that the server is running', {
      cause: error,
    });
  }
  try {
    const session = new PostgresSession(client, new PostgresStatements());
    const synchronous = await synchronousOf(new WriteTransaction(session));
    if (synchronous !== 'on') {
      throw new Error(`PostgreSQL runs with ${synchronous}, so a power cut could lose a sale. Switch it on`);
    }
    let isChanged = false;
    const schemaVersion = await migrate(migrationTargetOn(session), migrations, {
      ...migrating,
      announce(migration) {
        isChanged = true;
        announce?.(migration);
      },
    });
    // A rebuilt table has no statistics until autovacuum comes by, and the first requests would be planned without.
    if (isChanged) await session.execute('ANALYZE');
    return schemaVersion;
  } finally {
    await client.end();
  }
}

function migrationTargetOn(session: PostgresSession): MigrationTarget {
  return {
    async hasTable(name) {
      const row = await session.get('SELECT to_regclass(@name) AS found', { name });
      return (row as { found: string | null }).found !== null;
    },
    all: (sql) => session.all(sql, {}),
    run: (sql, parameters) => session.run(sql, parameters),
    async rowsOf(table) {
      const found = await session.get(
        'SELECT CAST(MAX(reltuples) AS bigint) AS estimate FROM pg_class WHERE oid = to_regclass(@table)',
        { table },
      );
      const { estimate } = found as { estimate: number | null };
      if (estimate === null) return 0;
      if (estimate >= 0) return estimate;
      // never analyzed, so it is young and small
      return ((await session.get(`SELECT COUNT(*) AS count FROM "${table}"`, {})) as { count: number }).count;
    },
    async bytes() {
      const size = await session.get('SELECT pg_database_size(current_database()) AS bytes', {});
      return (size as { bytes: number }).bytes;
    },
    spaceFor: async (bytes) => ({ neededBytes: bytes, freeBytes: null }),
    execute: (sql) => session.execute(sql),
    async exclusively(work) {
      await session.execute(`BEGIN; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
      try {
        const result = await work();
        await session.execute('COMMIT');
        return result;
      } catch (error) {
        await session.execute('ROLLBACK');
        throw error;
      }
    },
  };
}
