import type pg from 'pg';
import { ServiceError } from '../../errors.ts';
import { DatabaseFailure, type SnapshotOptions, type Unit } from '../database.ts';
import { createReadTransaction } from '../read-transaction.ts';
import { unavailableBecause } from '../unavailable.ts';
import { runWhole, type Session, WriteTransaction } from '../write-transaction.ts';
import { addressOf, withSettings } from './address.ts';
import { destroyConnection, KEEP_ALIVE } from './client.ts';
import { connectionFailure, isCertainlyRolledBack } from './failure.ts';
import { gatherStatistics, PostgresSession, UNLESS_SILENT, WITHOUT_LIMITS } from './session.ts';
import { PostgresStatements } from './statements.ts';
import { POSTGRES_TYPES } from './types.ts';
import { hashOf } from './unit-session.ts';
import { WatchingClient } from './watching-client.ts';

const CONNECTION_TIMEOUT_MS = 5_000;
/** A connection may go silent, and the kernel then waits for hours. A page of a walk takes milliseconds. */
const PAGE_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 2_000;
/** A walk in pages must follow an index: a plan that sorts would read everything once for each page. */
const FOLLOW_INDEXES = 'SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off';

/** Hash tables of a million rows need memory, or they are written to disk and read again. */
const MEMORY =
  "SELECT set_config('work_mem', '64MB', true) WHERE pg_size_bytes(current_setting('work_mem')) < 64 << 20";
/**
 * A whole table is read in the order of its rows: in the order of an index, each row would have to be found. Several
 * audits run at a time, so more processes for each would only take turns with the longest, which PostgreSQL does not divide.
 */
const JOIN_WHOLE = `SET LOCAL enable_nestloop = off; SET LOCAL enable_seqscan = on; SET LOCAL max_parallel_workers_per_gather = 0; ${MEMORY}`;

/** Runs `work` on one committed state of the database. Its queries may take a minute each, or any time if they join. */
export function runInSnapshot<T>(url: string, work: Unit<T>, { joins }: SnapshotOptions = {}): Promise<T> {
  const limits = joins ? {} : { query_timeout: PAGE_TIMEOUT_MS };
  return onConnection(url, limits, async (session) => {
    await session.execute('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await session.execute(`${WITHOUT_LIMITS}; ${FOLLOW_INDEXES}${joins === 'whole' ? `; ${JOIN_WHOLE}` : ''}`);
    // the first query takes the state, and `work` may wait for something before its own
    await session.get('SELECT 1 AS "first"', {});
    const result = await work(createReadTransaction(session));
    await session.execute('COMMIT');
    return result;
  });
}

/** Runs `work` in one transaction, then gathers statistics, because the many new rows have made the old ones wrong. */
export function runInBulk<T>(url: string, work: Unit<T>): Promise<T> {
  return onConnection(url, {}, async (session) => {
    await session.execute(`BEGIN ISOLATION LEVEL READ COMMITTED; ${UNLESS_SILENT}`);
    // closing the connection rolls back what was not committed
    const result = await runWhole(work, new WriteTransaction(claiming(session)));
    await commit(session);
    await gatherStatistics(session);
    return result;
  });
}

/** The session, with claims that wait until the keys are free; in order, so that two units cannot deadlock. */
function claiming(session: PostgresSession): Session {
  return {
    get: (sql, parameters) => session.get(sql, parameters),
    all: (sql, parameters) => session.all(sql, parameters),
    run: (sql, parameters) => session.run(sql, parameters),
    async claim(keys) {
      const hashes = [...new Set(keys().map(hashOf))].sort((a, b) => (a < b ? -1 : 1));
      if (hashes.length === 0) return;
      const sql = 'SELECT count(pg_advisory_xact_lock(key)) AS claimed FROM unnest(CAST(@keys AS bigint[])) AS key';
      await session.get(sql, { keys: `{${hashes.join(',')}}` });
    },
  };
}

async function commit(session: PostgresSession): Promise<void> {
  try {
    await session.execute('COMMIT');
  } catch (error) {
    if (isCertainlyRolledBack(error instanceof DatabaseFailure ? error.cause : error)) throw error;
    throw new ServiceError(
      'OUTCOME_UNKNOWN',
      'The connection to the database was lost during the commit. Run the command again: it finds out what was stored',
      { retryAfterSeconds: 2, cause: error },
    );
  }
}

async function onConnection<T>(
  url: string,
  limits: pg.ClientConfig,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  const address = addressOf(url);
  const client = new WatchingClient({
    connectionString: withSettings(address),
    types: POSTGRES_TYPES,
    ...KEEP_ALIVE,
    connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
    ...limits,
  });
  client.on('error', () => {});
  try {
    await client.connect().catch((error: unknown) => {
      throw connectionFailure(error);
    });
    return await work(new PostgresSession(client, new PostgresStatements(address)));
  } catch (error) {
    throw error instanceof DatabaseFailure ? unavailableBecause(error) : error;
  } finally {
    await disconnect(client);
  }
}

async function disconnect(client: pg.Client): Promise<void> {
  const giveUp = setTimeout(() => destroyConnection(client), END_TIMEOUT_MS);
  await client.end();
  clearTimeout(giveUp);
}
