import type { Unit } from '../database.ts';
import { type Session, type UnitOutcome, WriteTransaction } from '../write-transaction.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Committed: every unit's outcome, in order. Not committed: nothing was stored; `culprit` is the unit that caused it,
 * undefined when COMMIT or the second BEGIN failed.
 */
export type BatchResult =
  | { committed: true; outcomes: UnitOutcome<unknown>[] }
  | { committed: false; culprit: number | undefined; error: unknown };

const FOREIGN_AWAIT =
  'awaited something other than its own queries, which blocks every other writer, and was rolled back. This is a bug in its caller';

/**
 * Runs units one after the other in the open transaction of `connection`, and commits. Never throws; afterwards no
 * transaction is open. A failing unit has rarely written anything; if it has, everything is rolled back and run again,
 * each unit in its own savepoint.
 */
export async function runBatch(connection: SqliteConnection, units: readonly Unit<unknown>[]): Promise<BatchResult> {
  const watch = new ForeignAwaitWatch();
  try {
    return (await runWithoutSavepoints(connection, units, watch)) ?? (await runInSavepoints(connection, units, watch));
  } finally {
    watch.stop();
  }
}

/** Saves the savepoints, each of which costs as much as a lookup; null when all was rolled back and they are needed. */
async function runWithoutSavepoints(
  connection: SqliteConnection,
  units: readonly Unit<unknown>[],
  watch: ForeignAwaitWatch,
): Promise<BatchResult | null> {
  const outcomes: UnitOutcome<unknown>[] = [];
  const session = sessionOn(connection);
  for (const unit of units) {
    const before = connection.changeCount;
    const outcome = await watch.outcomeOf(unit, new WriteTransaction(session));
    if (!connection.inTransaction) return rolledBack(outcomes.length, outcome);
    if (!outcome.ok && connection.changeCount !== before) {
      rollback(connection);
      return units.length === 1 ? rolledBack(0, outcome) : null;
    }
    outcomes.push(outcome);
  }
  return commit(connection, outcomes);
}

async function runInSavepoints(
  connection: SqliteConnection,
  units: readonly Unit<unknown>[],
  watch: ForeignAwaitWatch,
): Promise<BatchResult> {
  const outcomes: UnitOutcome<unknown>[] = [];
  try {
    connection.run('BEGIN IMMEDIATE');
  } catch (error) {
    return { committed: false, culprit: undefined, error };
  }
  for (const unit of units) {
    const outcome = await runInSavepoint(connection, unit, watch);
    // SQLITE_FULL and some other errors end the whole transaction; another SAVEPOINT would then commit on its own.
    if (!connection.inTransaction) return rolledBack(outcomes.length, outcome);
    outcomes.push(outcome);
  }
  return commit(connection, outcomes);
}

function rolledBack(culprit: number, outcome: UnitOutcome<unknown>): BatchResult {
  return { committed: false, culprit, error: outcome.ok ? undefined : outcome.error };
}

function commit(connection: SqliteConnection, outcomes: UnitOutcome<unknown>[]): BatchResult {
  try {
    connection.run('COMMIT');
    return { committed: true, outcomes };
  } catch (error) {
    rollback(connection);
    return { committed: false, culprit: undefined, error };
  }
}

async function runInSavepoint(
  connection: SqliteConnection,
  unit: Unit<unknown>,
  watch: ForeignAwaitWatch,
): Promise<UnitOutcome<unknown>> {
  try {
    connection.run('SAVEPOINT unit');
    const outcome = await watch.outcomeOf(unit, new WriteTransaction(sessionOn(connection)));
    if (!outcome.ok && !connection.inTransaction) return outcome;
    if (!outcome.ok) connection.run('ROLLBACK TO SAVEPOINT unit');
    connection.run('RELEASE SAVEPOINT unit');
    return outcome;
  } catch (error) {
    rollback(connection);
    return { ok: false, error };
  }
}

const NOTHING_TO_CLAIM = Promise.resolve();

function sessionOn(connection: SqliteConnection): Session {
  return {
    get: (sql, parameters) => connection.get(sql, parameters),
    all: (sql, parameters) => connection.all(sql, parameters),
    run: (sql, parameters) => connection.run(sql, parameters),
    // With a single writer, nobody else can work on these keys.
    claim: () => NOTHING_TO_CLAIM,
  };
}

function rollback(connection: SqliteConnection): void {
  try {
    if (connection.inTransaction) connection.run('ROLLBACK');
  } catch {
    // SQLite has already rolled back on its own.
  }
}

/**
 * SQLite queries are synchronous, so a unit that awaits only its own queries ends before the next turn of the event loop.
 * One immediate per batch detects a unit that does not: it fires while that unit is waiting.
 */
class ForeignAwaitWatch {
  #immediate: NodeJS.Immediate;
  #abortUnit: () => void = () => {};

  constructor() {
    this.#immediate = this.#arm();
  }

  async outcomeOf(unit: Unit<unknown>, transaction: WriteTransaction): Promise<UnitOutcome<unknown>> {
    return new Promise((resolve) => {
      this.#abortUnit = () =>
        resolve(
          transaction.conclude({ ok: false, error: new Error(`A unit of work ${FOREIGN_AWAIT}`) }, FOREIGN_AWAIT),
        );
      startUnit(unit, transaction).then(
        (value) => resolve(transaction.conclude({ ok: true, value })),
        (error) => resolve(transaction.conclude({ ok: false, error })),
      );
    });
  }

  stop(): void {
    clearImmediate(this.#immediate);
  }

  #arm(): NodeJS.Immediate {
    return setImmediate(() => {
      this.#immediate = this.#arm();
      this.#abortUnit();
    });
  }
}

// Async, so that a throw before the unit's first await becomes a rejection.
async function startUnit(unit: Unit<unknown>, transaction: WriteTransaction): Promise<unknown> {
  const value = await unit(transaction);
  await transaction.runLast();
  return value;
}
