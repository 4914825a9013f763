import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { outcomeUnknown } from '../../errors.ts';
import { DatabaseFailure, type Unit } from '../database.ts';
import { unavailableBecause } from '../unavailable.ts';
import { outcomeOf, type UnitOutcome, WriteTransaction } from '../write-transaction.ts';
import { COMMIT, type PipelinedClient } from './client.ts';
import {
  connectionFailure,
  databaseFailureFrom,
  isCertainlyRolledBack,
  isConflict,
  isConnectionSound,
  lostConnection,
} from './failure.ts';
import type { PostgresStatements } from './statements.ts';
import { UnitSession } from './unit-session.ts';
import { Skipped } from './wave.ts';
import type { WireQuery, WireResult } from './wire-query.ts';

const LOCK = {
  name: 'refbridge_lock',
  text: 'SELECT count(pg_advisory_xact_lock(key)) AS claimed FROM unnest(CAST($1 AS bigint[])) AS key',
};

/** Locks the keys that no other transaction holds, and returns the others. */
export const TRY_LOCK = {
  name: 'refbridge_try_lock',
  text: 'SELECT CAST(key AS text) AS taken FROM unnest(CAST($1 AS bigint[])) AS key WHERE NOT pg_try_advisory_xact_lock(key)',
};

const ATTEMPTS_MAX = 8;
/** How often a unit starts again because another one holds a key that it needs; the last time, it waits for each key. */
const RESTARTS_MAX = 8;
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

/** The queries of a unit that has its transaction to itself. */
class AloneSession extends UnitSession {
  readonly #client: PipelinedClient;
  readonly #mayRestart: boolean;
  #isRefused = false;

  /** Begins the transaction. */
  constructor(client: PipelinedClient, statements: PostgresStatements, mayRestart: boolean) {
    super(statements);
    this.#client = client;
    this.#mayRestart = mayRestart;
    this.confirm(Promise.all(client.beginning.map((query) => this.send(query))));
  }

  /** True when the unit needed a taken key while it held others. It must start again with all of them. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Runs a command; returns it as the server reports it, such as `COMMIT`. */
  async execute(text: string): Promise<string> {
    return (await this.send({ text })).command;
  }

  protected send(query: WireQuery): Promise<WireResult> {
    return sendOn(this.#client, query);
  }

  /** Waits for the holders of the first keys only: a unit that waits while it holds keys may be part of a deadlock. */
  protected async lock(keys: readonly bigint[], isFirst: boolean): Promise<void> {
    const values = [`{${keys.join(',')}}`];
    if (isFirst || !this.#mayRestart) this.confirm(this.send({ ...LOCK, values }));
    else this.confirm(this.#tryLock(values));
  }

  async #tryLock(values: string[]): Promise<void> {
    const { rows } = await this.send({ ...TRY_LOCK, values });
    if (rows.length === 0) return;
    this.#isRefused = true;
    throw new DatabaseFailure('Another write holds what this one needs', true, undefined);
  }
}

/**
 * One attempt: BEGIN, the unit, COMMIT or ROLLBACK. A unit that needs a taken key while it holds others is rolled back,
 * and starts again by waiting for all of its keys in order.
 *
 * @throws DatabaseFailure when nothing was stored; ServiceError `OUTCOME_UNKNOWN` when that is unknown
 */
export async function runOnConnection<T>(pool: pg.Pool, statements: PostgresStatements, unit: Unit<T>): Promise<T> {
  const client = await connect(pool);
  let lost = false;
  let reusable = false;
  const onLost = () => {
    lost = true;
  };
  client.on('error', onLost);
  try {
    let session = new AloneSession(client, statements, true);
    let outcome = await concludeConfirmed(session, unit);
    for (let restart = 1; session.isRefused && (await rollback(session)); restart += 1) {
      const { keys } = session;
      session = new AloneSession(client, statements, restart < RESTARTS_MAX);
      await session.claimHashes(keys);
      outcome = await concludeConfirmed(session, unit);
    }
    if (!outcome.ok) {
      reusable = (await rollback(session)) && isConnectionSound(outcome.error);
      throw outcome.error;
    }
    if (lost) throw lostConnection();
    await commit(client);
    reusable = true;
    return outcome.value;
  } finally {
    client.off('error', onLost);
    client.release(!reusable);
  }
}

async function concludeConfirmed<T>(session: AloneSession, unit: Unit<T>): Promise<UnitOutcome<T>> {
  const outcome = await outcomeOf(unit, new WriteTransaction(session));
  try {
    await session.confirmed();
  } catch (error) {
    if (outcome.ok || error instanceof DatabaseFailure) return { ok: false, error };
  }
  return outcome;
}

/** Sends a query of this unit. @throws DatabaseFailure for failures of the engine */
export async function sendOn(client: PipelinedClient, query: WireQuery, unit?: object): Promise<WireResult> {
  try {
    return await client.send(query, unit);
  } catch (thrown) {
    // after one failed statement, the transaction is over for all of them
    const error = thrown instanceof Skipped ? thrown.cause : thrown;
    throw databaseFailureFrom(error) ?? error;
  }
}

/** Returns whether the connection can be reused. */
async function rollback(session: AloneSession): Promise<boolean> {
  try {
    await session.execute('ROLLBACK');
    return true;
  } catch {
    // The server rolls back the transaction of a lost connection.
    return false;
  }
}

/**
 * @throws DatabaseFailure or the server's error when nothing was stored; ServiceError `OUTCOME_UNKNOWN` when that is
 *   unknown
 */
export async function commit(client: PipelinedClient): Promise<void> {
  let command: string;
  try {
    command = (await client.send(COMMIT)).command;
  } catch (thrown) {
    const isSkipped = thrown instanceof Skipped;
    const error = isSkipped ? thrown.cause : thrown;
    if (isSkipped || isCertainlyRolledBack(error)) throw databaseFailureFrom(error) ?? error;
    throw outcomeUnknown('The connection to the database was lost during the commit', error);
  }
  // after a statement that failed
  if (command !== 'COMMIT') throw new DatabaseFailure('The transaction was rolled back', true, undefined);
}

async function connect(pool: pg.Pool): Promise<PipelinedClient & pg.PoolClient> {
  try {
    return (await pool.connect()) as PipelinedClient & pg.PoolClient;
  } catch (error) {
    throw connectionFailure(error);
  }
}
