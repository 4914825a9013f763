import type pg from 'pg';
import { ServiceError } from '../../errors.ts';
import { sortsIds } from '../collation.ts';
import { type Database, DatabaseFailure, type DiskUse, type Transaction, type Unit } from '../database.ts';
import { InFlightWork } from '../in-flight-work.ts';
import { type MigrateOptions, type Migration, migrate } from '../migrate.ts';
import { createReadTransaction } from '../read-transaction.ts';
import type { ReplicaOptions } from '../replica.ts';
import { REPORT_DEADLINE_MS } from '../report-deadline.ts';
import {
  addressOf,
  connectionProblem,
  PLANS_FOR_ANY_VALUES,
  READ_ONLY,
  standbyAddressOf,
  withoutTimeLimits,
  withSettings,
} from './address.ts';
import {
  createPool,
  destroyConnection,
  KEEP_ALIVE,
  PipelinedClient,
  type PipelinedConfig,
  type TimedQuery,
} from './client.ts';
import { PostgresGroupCommit } from './group-commit.ts';
import { runInBulk, runInSnapshot } from './long-transaction.ts';
import { migrationTargetOn } from './migration-target.ts';
import { PipelinedReads } from './reads.ts';
import { PostgresReplica } from './replica.ts';
import { PostgresReports, REPORT_CONNECTIONS_MAX } from './reports.ts';
import { gatherStatistics, PostgresSession } from './session.ts';
import { PostgresStatements } from './statements.ts';
import { POSTGRES_TYPES } from './types.ts';
import { WatchingClient } from './watching-client.ts';
import { runOnConnection, withRetries } from './write.ts';

const WRITE_CONNECTIONS_MAX = 10;
const OPENING_TIMEOUT_MS = 5_000;
const FIRST_QUERY: TimedQuery = { text: 'SELECT 1 AS first', query_timeout: OPENING_TIMEOUT_MS };
const STATEMENT_TIMEOUT_MAX_MS = 2 ** 31 - 1;

/** Together with at most 2.5 s of retries, a request to an unreachable database fails within about 5 s. */
const TIMEOUTS = {
  connectionTimeoutMillis: 2_000,
  lock_timeout: 2_000,
  statement_timeout: 4_500,
  // for a server that cannot even report that the statement timed out
  query_timeout: 5_000,
  idle_in_transaction_session_timeout: 10_000,
};

interface PostgresOptions extends MigrateOptions {
  /** A standby that may answer reports with `replicaSince`. */
  replica?: ReplicaOptions | undefined;
}

/**
 * Connects, migrates the schema, and keeps a connection for units of work that share commits, a pool for those that run
 * alone, and read-only connections: some for lookups, some for reports, so that a lookup never waits for a report.
 *
 * @param url `postgres://user:password@host:port/name`
 * @throws SchemaMismatch when its schema may not be migrated, or is newer than `migrations`; Error when the server
 *   cannot be reached, or commits are not durable
 */
export async function openPostgres(
  url: string,
  migrations: readonly Migration[],
  { replica: replicaOptions, ...migrating }: PostgresOptions = {},
): Promise<Database> {
  // before any connection is open, which would keep a process from ending whose addresses are refused
  const address = addressOf(url);
  const standby = replicaOptions && { ...replicaOptions, url: standbyAddressOf(replicaOptions.url) };
  const schemaVersion = await prepareSchema(url, migrations, migrating);
  const { isPooled } = address;
  const sessions: pg.PoolConfig = { types: POSTGRES_TYPES, ...KEEP_ALIVE, ...TIMEOUTS };
  const adapted: pg.PoolConfig & PipelinedConfig = isPooled ? { ...withoutTimeLimits(sessions), isPooled } : sessions;
  const config = { ...adapted, connectionString: withSettings(address) };
  const shared = { ...adapted, connectionString: withSettings(address, PLANS_FOR_ANY_VALUES) };
  const lookups = { ...adapted, connectionString: withSettings(address, [...READ_ONLY, ...PLANS_FOR_ANY_VALUES]) };
  const readOnly = { ...adapted, connectionString: withSettings(address, READ_ONLY) };
  const forAnyValues = new PostgresStatements({ isPooled, isForAnyValues: true });
  const statements = new PostgresStatements({ isPooled });
  // also behind a pooler, where each transaction sets it
  const { lock_timeout } = TIMEOUTS;
  const writers = createPool({ ...config, lock_timeout, max: WRITE_CONNECTIONS_MAX, Client: PipelinedClient });
  // a pooler has connections of its own
  const leavesStandbys = !isPooled;
  const reads = new PipelinedReads(lookups, forAnyValues, { leavesStandbys });
  const readers = createPool({ ...readOnly, max: REPORT_CONNECTIONS_MAX, Client: WatchingClient });
  const reports = new PostgresReports(readers, { isPooled, leavesStandbys });
  const runAlone = <T>(unit: Unit<T>) => withRetries(() => runOnConnection(writers, statements, unit));
  const aloneMax = WRITE_CONNECTIONS_MAX;
  const commits = new PostgresGroupCommit({ config: shared, statements: forAnyValues, runAlone, aloneMax });
  await commits.connect();
  const replica = standby && new PostgresReplica(standby, sessions, { primary: reads.transaction, fallback: reports });
  await replica?.measure();
  const inFlight = new InFlightWork();
  const durability = async () => ({ synchronous: await synchronousOf(reads.transaction) });
  return {
    engine: 'postgres',
    schemaVersion,
    hasReplica: replica !== undefined,
    write: (unit, { alone = false } = {}) => inFlight.track(() => (alone ? runAlone(unit) : commits.write(unit))),
    read: (unit) => inFlight.track(() => withRetries(() => unit(reads.transaction))),
    report: (unit, { deadlineMs = REPORT_DEADLINE_MS, replicaSince } = {}) =>
      inFlight.track(() =>
        replica && replicaSince !== undefined
          ? replica.run(unit, deadlineMs, replicaSince)
          : reports.run(unit, deadlineMs),
      ),
    snapshot: (work, options) => inFlight.track(() => runInSnapshot(url, work, options)),
    bulk: (work) => inFlight.track(() => runInBulk(url, work)),
    diskUse: () => inFlight.track(() => reports.run(diskUseOf, REPORT_DEADLINE_MS)),
    estimateRows: (table) => inFlight.track(() => reports.run((tx) => estimateOf(tx, table), REPORT_DEADLINE_MS)),
    durability: () => inFlight.track(() => withRetries(durability)),
    close: () =>
      inFlight.close(() => Promise.all([commits.end(), writers.end(), reads.end(), reports.end(), replica?.end()])),
  };
}

/** `on` when acknowledged commits are on disk; otherwise the setting that prevents it. */
async function synchronousOf(reading: { get(sql: string): Promise<unknown> }): Promise<string> {
  const settings = (await reading.get(
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit",
  )) as { fsync: string; commit: string } | undefined;
  if (settings?.fsync !== 'on') return 'fsync=off';
  // local, remote_write and remote_apply flush to this server's disk as well.
  return settings.commit === 'off' ? 'synchronous_commit=off' : 'on';
}

const CREATE_SUITABLE =
  "Create one with CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C' " +
  '(without LOCALE_PROVIDER before PostgreSQL 15), and name it in DATABASE_URL';

/**
 * Refuses a database that cannot hold every name, so that the payments of some customers would fail, or that sorts ids
 * wrongly. Only for an empty one: one in use already stays usable.
 */
async function refuseUnsuitable(session: PostgresSession): Promise<void> {
  const { encoding } = (await session.get("SELECT current_setting('server_encoding') AS encoding", {})) as {
    encoding: string;
  };
  if (encoding !== 'UTF8') {
    throw new Error(
      `The PostgreSQL database has the encoding ${encoding}, which cannot store every name. ${CREATE_SUITABLE}`,
    );
  }
  if (!(await sortsIds(createReadTransaction(session)))) {
    throw new Error(
      'The collation of this PostgreSQL database sorts two letters as one, as Danish does, so ids would not sort by time. ' +
        CREATE_SUITABLE,
    );
  }
}

async function diskUseOf(tx: Pick<Transaction, 'get'>): Promise<DiskUse> {
  const size = await tx.get<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes');
  return { dataBytes: size?.bytes ?? 0, logBytes: null, freeBytes: null, lastBackupAt: null };
}

async function estimateOf(tx: Pick<Transaction, 'get'>, table: string): Promise<number | null> {
  const sql = 'SELECT CAST(reltuples AS BIGINT) AS count FROM pg_class WHERE oid = CAST(@table AS regclass)';
  const found = await tx.get<{ count: number }>(sql, { table });
  // negative before the first statistics
  return found === undefined || found.count < 0 ? null : found.count;
}

/** Uses a separate connection without timeouts, because a migration may take long. */
async function prepareSchema(
  url: string,
  migrations: readonly Migration[],
  { announce, ...migrating }: MigrateOptions,
): Promise<number> {
  const address = addressOf(url);
  const { isPooled } = address;
  const client = new WatchingClient({
    connectionString: withSettings(address),
    types: POSTGRES_TYPES,
    ...KEEP_ALIVE,
    connectionTimeoutMillis: OPENING_TIMEOUT_MS,
    // practically no limit, but such settings reveal a pooler that refuses them
    ...(isPooled ? {} : { statement_timeout: STATEMENT_TIMEOUT_MAX_MS }),
  });
  client.on('error', () => {});
  try {
    await client.connect();
    // a pooler whose server is away accepts connections, and keeps their first query waiting, by default for two minutes
    await client.query(FIRST_QUERY);
  } catch (error) {
    destroyConnection(client);
    throw connectionProblem(error, address);
  }
  try {
    const session = new PostgresSession(client, new PostgresStatements({ isPooled }));
    const synchronous = await synchronousOf({ get: (sql) => session.get(sql, {}) });
    if (synchronous !== 'on') {
      throw new Error(`PostgreSQL runs with ${synchronous}, so a power cut could lose a sale. Switch it on`);
    }
    const target = migrationTargetOn(session);
    if (!(await target.hasTable('schema_migrations'))) await refuseUnsuitable(session);
    let isChanged = false;
    const schemaVersion = await migrate(target, migrations, {
      ...migrating,
      announce(migration) {
        isChanged = true;
        announce?.(migration);
      },
    });
    // A rebuilt table has no statistics until autovacuum runs; the first requests would be planned without them.
    if (isChanged) await gatherStatistics(session);
    return schemaVersion;
  } catch (error) {
    throw error instanceof DatabaseFailure ? preparationProblem(error) : error;
  } finally {
    await client.end();
  }
}

/** With what PostgreSQL said, such as which file it could not extend. */
function preparationProblem(failure: DatabaseFailure): ServiceError {
  const { message, cause } = failure;
  const reason = cause instanceof Error ? ` (${cause.message})` : '';
  const advice = 'A migration that was under way has changed nothing: start again once the database works';
  return new ServiceError('UNAVAILABLE', `${message}${reason}. ${advice}`, { cause: failure });
}
