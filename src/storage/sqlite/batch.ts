import type { Unit } from '../database.ts';
import {
  type LastItem,
  outcomeOf,
  outcomeWithout,
  runLast,
  type Session,
  type UnitOutcome,
  WriteTransaction,
} from '../write-transaction.ts';
import type { SqliteConnection } from './connection.ts';
import { Turns } from './turns.ts';

/**
 * Committed: the outcomes of the first units, in order; the others have not run. Not committed: nothing was stored;
 * `culprit` is the unit that caused it, undefined when COMMIT or the second BEGIN failed.
 */
export type BatchResult =
  | { committed: true; outcomes: UnitOutcome<unknown>[] }
  | { committed: false; culprit: number | undefined; error: unknown };

export interface BatchUnit {
  unit: Unit<unknown>;
  /** It may read what `last` work of other units writes; see `WriteOptions.alone`. */
  readsSums: boolean;
}

/** The outcomes of the first units, in order, in a transaction that is ready to commit. */
type Outcomes = UnitOutcome<unknown>[];

/** Units that have not begun by then are left to the next batch. */
const BEGINS_MS_MAX = 10;

/** Runs a function that commits; its caller may note when. */
export type CommitWith = (commit: () => void) => void;

const NOTHING_LEFT: UnitOutcome<unknown> = { ok: true, value: undefined };

const FOREIGN_AWAIT =
  'awaited something other than its own queries, which blocks every other writer, and was rolled back. This is a bug in its caller';

/**
 * Runs units one after the other in the open transaction of `connection`, as many as begin in time, and commits. Never
 * throws; afterwards no transaction is open. A failing unit has rarely written anything; if it has, everything is rolled
 * back and the units run again, each in its own savepoint. Takes one turn of the event loop, unless a unit takes longer.
 */
export async function runBatch(
  connection: SqliteConnection,
  units: readonly BatchUnit[],
  commitWith: CommitWith = (commit) => commit(),
): Promise<BatchResult> {
  const turns = new Turns();
  const watch = new ForeignAwaitWatch(turns);
  const session = sessionOn(connection, turns);
  try {
    const outcomes =
      (await runWithoutSavepoints(connection, session, units, watch)) ??
      (await runInSavepoints(connection, session, units, watch));
    return 'committed' in outcomes ? outcomes : commit(connection, outcomes, commitWith);
  } finally {
    watch.stop();
  }
}

/**
 * Avoids savepoints, each of which costs as much as a lookup, and runs `last` work once for all of the units: 32 sales
 * of one partner then change its sums once. Null when everything was rolled back and each unit needs a savepoint.
 */
async function runWithoutSavepoints(
  connection: SqliteConnection,
  session: Session,
  units: readonly BatchUnit[],
  watch: ForeignAwaitWatch,
): Promise<Outcomes | BatchResult | null> {
  const outcomes: UnitOutcome<unknown>[] = [];
  let leftToEnd: LastItem[] = [];
  const writeLast = async (): Promise<UnitOutcome<unknown>> => {
    const items = leftToEnd;
    leftToEnd = [];
    if (items.length === 0) return NOTHING_LEFT;
    const transaction = new WriteTransaction(session);
    const writing = outcomeWithout((tx) => runLast(tx, items), transaction);
    return watch.outcomeOf(transaction, writing);
  };
  const untilMs = performance.now() + BEGINS_MS_MAX;
  for (const { unit, readsSums } of units) {
    if (outcomes.length > 0 && performance.now() >= untilMs) break;
    const sums = readsSums ? await writeLast() : NOTHING_LEFT;
    if (!sums.ok) return takeBack(connection, units, sums);
    const before = connection.changeCount;
    const transaction = new WriteTransaction(session);
    const outcome = await watch.outcomeOf(transaction, outcomeWithout(unit, transaction));
    if (!connection.inTransaction) return rolledBack(outcomes.length, outcome);
    if (!outcome.ok && connection.changeCount !== before) return takeBack(connection, units, outcome);
    if (outcome.ok) leftToEnd.push(...transaction.leftToEnd);
    outcomes.push(outcome);
  }
  const sums = await writeLast();
  return sums.ok ? outcomes : takeBack(connection, units, sums);
}

/** Null when the units must run again, each in a savepoint, so that only the one at fault fails. */
function takeBack(
  connection: SqliteConnection,
  units: readonly BatchUnit[],
  outcome: UnitOutcome<unknown>,
): BatchResult | null {
  rollback(connection);
  return units.length === 1 ? rolledBack(0, outcome) : null;
}

async function runInSavepoints(
  connection: SqliteConnection,
  session: Session,
  units: readonly BatchUnit[],
  watch: ForeignAwaitWatch,
): Promise<Outcomes | BatchResult> {
  const outcomes: UnitOutcome<unknown>[] = [];
  try {
    connection.run('BEGIN IMMEDIATE');
  } catch (error) {
    return { committed: false, culprit: undefined, error };
  }
  const untilMs = performance.now() + BEGINS_MS_MAX;
  for (const { unit } of units) {
    if (outcomes.length > 0 && performance.now() >= untilMs) break;
    const outcome = await runInSavepoint(connection, session, unit, watch);
    // SQLITE_FULL and some other errors end the whole transaction; another SAVEPOINT would then commit on its own.
    if (!connection.inTransaction) return rolledBack(outcomes.length, outcome);
    outcomes.push(outcome);
  }
  return outcomes;
}

function rolledBack(culprit: number, outcome: UnitOutcome<unknown>): BatchResult {
  return { committed: false, culprit, error: outcome.ok ? undefined : outcome.error };
}

function commit(connection: SqliteConnection, outcomes: Outcomes, commitWith: CommitWith): BatchResult {
  try {
    commitWith(() => connection.run('COMMIT'));
    return { committed: true, outcomes };
  } catch (error) {
    rollback(connection);
    return { committed: false, culprit: undefined, error };
  }
}

async function runInSavepoint(
  connection: SqliteConnection,
  session: Session,
  unit: Unit<unknown>,
  watch: ForeignAwaitWatch,
): Promise<UnitOutcome<unknown>> {
  try {
    connection.run('SAVEPOINT unit');
    const transaction = new WriteTransaction(session);
    const outcome = await watch.outcomeOf(transaction, outcomeOf(unit, transaction));
    if (!outcome.ok && !connection.inTransaction) return outcome;
    if (!outcome.ok) connection.run('ROLLBACK TO SAVEPOINT unit');
    connection.run('RELEASE SAVEPOINT unit');
    return outcome;
  } catch (error) {
    rollback(connection);
    return { ok: false, error };
  }
}

/** The queries of one connection. With a single writer, nobody else can work on the keys that a unit would claim. */
export function sessionOn(connection: SqliteConnection, turns?: Turns): Session {
  return {
    ...(turns === undefined ? {} : { nextTurn: () => turns.whenDue() }),
    get: (sql, parameters) => connection.get(sql, parameters),
    all: (sql, parameters) => connection.all(sql, parameters),
    run: (sql, parameters) => connection.run(sql, parameters),
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
 * SQLite queries are synchronous, so a unit that awaits only its own queries ends before the next turn of the event loop,
 * or waits for that turn. One immediate per turn detects a unit that waits for anything else.
 */
class ForeignAwaitWatch {
  readonly #turns: Turns;
  #immediate: NodeJS.Immediate;
  #abortUnit: () => void = () => {};

  constructor(turns: Turns) {
    this.#turns = turns;
    this.#immediate = this.#arm();
  }

  /**
   * The outcome of the unit just started in the transaction; a failure when it awaits something other than its queries.
   */
  outcomeOf(transaction: WriteTransaction, running: Promise<UnitOutcome<unknown>>): Promise<UnitOutcome<unknown>> {
    return new Promise((resolve) => {
      this.#abortUnit = () =>
        resolve(
          transaction.conclude({ ok: false, error: new Error(`A unit of work ${FOREIGN_AWAIT}`) }, FOREIGN_AWAIT),
        );
      running.then(resolve);
    });
  }

  stop(): void {
    clearImmediate(this.#immediate);
  }

  #arm(): NodeJS.Immediate {
    return setImmediate(() => {
      this.#immediate = this.#arm();
      if (!this.#turns.isBetween) this.#abortUnit();
    });
  }
}
