import type { Unit } from '../database.ts';
import { type Outcome, type Session, WriteTransaction } from '../write-transaction.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Committed: every unit's outcome, in order. Not committed: nothing was kept; `culprit` is the unit for which that is
 * so, undefined when COMMIT failed, or the second BEGIN.
 */
export type BatchResult =
  | { committed: true; outcomes: Outcome<unknown>[] }
  | { committed: false; culprit: number | undefined; error: unknown };

const FOREIGN_AWAIT =
  'awaited something other than its own queries, which holds up every other writer; it was taken back. This is a bug in its caller';

/**
 * Runs units one after the other in the transaction that `connection` has begun, and commits. Never throws; afterwards
 * no transaction is open. A unit that fails has seldom written before; where one has, everything is taken back and run
 * once more, each unit in a savepoint of its own.
 */
export async function runBatch(connection: SqliteConnection, units: readonly Unit<unknown>[]): Promise<BatchResult> {
  const watch = new ForeignAwaitWatch();
  try {
    return (await runBare(connection, units, watch)) ?? (await runApart(connection, units, watch));
  } finally {
    watch.stop();
  }
}

/** Without savepoints, which cost as much as a look-up each; null when nothing was kept and they are needed. */
async function runBare(
  connection: SqliteConnection,
  units: readonly Unit<unknown>[],
  watch: ForeignAwaitWatch,
): Promise<BatchResult | null> {
  const outcomes: Outcome<unknown>[] = [];
  const session = sessionOn(connection);
  for (const unit of units) {
    const before = connection.changeCount;
    const outcome = await watch.outcomeOf(unit, new WriteTransaction(session));
    if (!connection.inTransaction) return takenBack(outcomes.length, outcome);
    if (!outcome.ok && connection.changeCount !== before) {
      rollback(connection);
      return units.length === 1 ? takenBack(0, outcome) : null;
    }
    outcomes.push(outcome);
  }
  return commit(connection, outcomes);
}

async function runApart(
  connection: SqliteConnection,
  units: readonly Unit<unknown>[],
  watch: ForeignAwaitWatch,
): Promise<BatchResult> {
  const outcomes: Outcome<unknown>[] = [];
  try {
    connection.run('BEGIN IMMEDIATE');
  } catch (error) {
    return { committed: false, culprit: undefined, error };
  }
  for (const unit of units) {
    const outcome = await runInSavepoint(connection, unit, watch);
    // On SQLITE_FULL and some other errors the whole transaction is gone; a further SAVEPOINT would commit by itself.
    if (!connection.inTransaction) return takenBack(outcomes.length, outcome);
    outcomes.push(outcome);
  }
  return commit(connection, outcomes);
}

function takenBack(culprit: number, outcome: Outcome<unknown>): BatchResult {
  return { committed: false, culprit, error: outcome.ok ? undefined : outcome.error };
}

function commit(connection: SqliteConnection, outcomes: Outcome<unknown>[]): BatchResult {
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
): Promise<Outcome<unknown>> {
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
    // One writer: nobody else can be at work on these keys.
    claim: () => NOTHING_TO_CLAIM,
  };
}

function rollback(connection: SqliteConnection): void {
  try {
    if (connection.inTransaction) connection.run('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself between the question and the answer.
  }
}

/**
 * Queries of SQLite are answered at once, so a unit that awaits only its own queries ends before the event loop turns.
 * One immediate for the whole batch tells of one that does not: it fires while that unit is waiting.
 */
class ForeignAwaitWatch {
  #immediate: NodeJS.Immediate;
  #giveUp: () => void = () => {};

  constructor() {
    this.#immediate = this.#arm();
  }

  async outcomeOf(unit: Unit<unknown>, transaction: WriteTransaction): Promise<Outcome<unknown>> {
    return new Promise((resolve) => {
      this.#giveUp = () =>
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
      this.#giveUp();
    });
  }
}

// Async, so that a unit that throws before its first await is a rejection too.
async function startUnit(unit: Unit<unknown>, transaction: WriteTransaction): Promise<unknown> {
  return unit(transaction);
}
