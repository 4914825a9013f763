import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ServiceError } from '../../errors.ts';
import { DatabaseFailure, type Unit } from '../database.ts';
import { unavailableBecause } from '../unavailable.ts';
import { type UnitOutcome, WriteTransaction } from '../write-transaction.ts';
import { isCertainlyRolledBack, isConflict } from './failure.ts';
import { PostgresSession, type PostgresStatements } from './session.ts';

const ATTEMPTS_MAX = 8;
// Give up on an unreachable database after 2.5 s; PostgreSQL resolves each deadlock within 1 s, so conflicts get longer.
const UNREACHABLE_RETRY_MS = 2_500;
const CONFLICT_RETRY_MS = 6_000;
const BACKOFF_FIRST_MS = 10;
const BACKOFF_MAX_MS = 500;

/**
 * Retries after a conflict or a lost connection, with exponential backoff and jitter.
 *
 * @throws ServiceError `UNAVAILABLE` for a `DatabaseFailure` that persists; any other error of `work` at once
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseFailure)) throw error;
      const retryMs = isConflict(error) ? CONFLICT_RETRY_MS : UNREACHABLE_RETRY_MS;
      const isTooLate = performance.now() - startedAt > retryMs;
      if (!error.retryable || isTooLate || attempt === ATTEMPTS_MAX) throw unavailableBecause(error);
      await sleep(Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** attempt) * (0.5 + Math.random()));
    }
  }
}

/**
 * One attempt: BEGIN, the unit, COMMIT or ROLLBACK.
 *
 * @throws DatabaseFailure when nothing was stored; ServiceError `UNAVAILABLE` when that is unknown
 */
export async function runOnConnection<T>(pool: pg.Pool, statements: PostgresStatements, unit: Unit<T>): Promise<T> {
  const client = await connect(pool);
  const session = new PostgresSession(client, statements);
  let lost = false;
  let reusable = false;
  const onLost = () => {
    lost = true;
  };
  client.on('error', onLost);
  try {
    await session.execute('BEGIN ISOLATION LEVEL READ COMMITTED');
    const outcome = await outcomeOf(unit, new WriteTransaction(session));
    if (!outcome.ok) {
      const { error } = outcome;
      reusable = (await rollback(session)) && !(error instanceof DatabaseFailure && !isConflict(error));
      throw error;
    }
    if (lost) throw new DatabaseFailure('The connection to the database was lost', true, undefined);
    await commit(session);
    reusable = true;
    return outcome.value;
  } finally {
    client.off('error', onLost);
    client.release(!reusable);
  }
}

/** Returns whether the connection can be reused. */
async function rollback(session: PostgresSession): Promise<boolean> {
  try {
    await session.execute('ROLLBACK');
    return true;
  } catch {
    // The server rolls back the transaction of a lost connection.
    return false;
  }
}

async function commit(session: PostgresSession): Promise<void> {
  let command: string;
  try {
    command = await session.execute('COMMIT');
  } catch (error) {
    if (isCertainlyRolledBack(error instanceof DatabaseFailure ? error.cause : error)) throw error;
    throw new ServiceError(
      'UNAVAILABLE',
      'The connection to the database was lost during the commit. Send the request again to find out whether it was recorded',
      { retryAfterSeconds: 2, cause: error },
    );
  }
  if (command !== 'COMMIT') throw new Error(`PostgreSQL answered COMMIT with ${command}`);
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw new DatabaseFailure('The database cannot be reached', true, error);
  }
}

async function outcomeOf<T>(unit: Unit<T>, transaction: WriteTransaction): Promise<UnitOutcome<T>> {
  try {
    const value = await unit(transaction);
    await transaction.runLast();
    return transaction.conclude({ ok: true, value });
  } catch (error) {
    return transaction.conclude({ ok: false, error });
  }
}
