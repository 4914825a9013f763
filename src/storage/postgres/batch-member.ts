import type { Unit } from '../database.ts';
import { type UnitOutcome, WriteTransaction } from '../write-transaction.ts';
import type { BatchKeys } from './batch-keys.ts';
import type { PostgresStatements } from './statements.ts';
import { UnitSession } from './unit-session.ts';
import type { WireQuery, WireResult } from './wire-query.ts';

/** Rejects the queries of a unit that is no longer a member of its batch and runs again elsewhere. */
export class Removed extends Error {
  constructor() {
    super('This unit of work has left its batch and runs again');
  }
}

/** What a unit needs from its batch. */
interface SharedTransaction {
  readonly keys: BatchKeys<BatchMember>;
  /** Settles when the transaction has begun. */
  readonly begun: Promise<unknown>;
  send(query: WireQuery, member: BatchMember): Promise<WireResult>;
  /** Locks keys against other transactions, without waiting; null when the batch has already locked them. */
  lock(keys: readonly bigint[]): Promise<boolean> | null;
  /** Gives up on the transaction: nothing is stored, and every unit runs again. */
  takeBack(error: unknown): void;
}

/** A unit of work that shares a transaction with others. */
export class BatchMember extends UnitSession {
  readonly #batch: SharedTransaction;
  readonly #keys: bigint[] = [];
  readonly #done = Promise.withResolvers<void>();
  readonly #transaction: WriteTransaction;
  /** Unanswered queries, BEGIN included, plus waits for other units of the batch. */
  #pending = 0;
  #outcome: UnitOutcome<unknown> | undefined;
  #hasLeft = false;

  constructor(batch: SharedTransaction, statements: PostgresStatements) {
    super(statements);
    this.#batch = batch;
    this.#transaction = new WriteTransaction(this);
  }

  /** How the unit ended; undefined when it has left and must run again. */
  get outcome(): UnitOutcome<unknown> | undefined {
    return this.#outcome;
  }

  get isRunning(): boolean {
    return this.#outcome === undefined && !this.#hasLeft;
  }

  /**
   * True when the unit awaits something other than its queries. Only valid between macrotasks: by then, a unit whose
   * query was answered has continued.
   */
  get awaitsSomethingElse(): boolean {
    return this.isRunning && this.#pending === 0;
  }

  /** The `last` work of the unit. */
  get leftToEnd() {
    return this.#transaction.leftToEnd;
  }

  /**
   * Settles after the commit, when every write that the unit did not wait for has been answered. If one of them fails
   * although the server has run it, that is a bug of its caller, which the unit reports.
   */
  async settled(): Promise<void> {
    // none of the writes of a unit that has left was sent
    if (this.#hasLeft) return;
    try {
      await this.#transaction.settled();
    } catch (error) {
      this.#outcome = { ok: false, error };
    }
  }

  /** Settles when the unit has ended or left. */
  start(unit: Unit<unknown>): Promise<void> {
    this.confirm(this.#whilePending(this.#batch.begun));
    startUnit(unit, this.#transaction).then(
      (value) => this.#end({ ok: true, value }),
      (error: unknown) => this.#end({ ok: false, error }),
    );
    return this.#done.promise;
  }

  /** Leaves the batch, to run again elsewhere. Only rolling back the whole batch undoes what it has written. */
  leave(): void {
    if (!this.isRunning) return;
    this.#hasLeft = true;
    if (this.hasWritten) this.#batch.takeBack(new Removed());
    this.#settle();
  }

  protected async send(query: WireQuery): Promise<WireResult> {
    if (this.#hasLeft) throw new Removed();
    const result = await this.#whilePending(this.#batch.send(query, this));
    // the answer to a claim may have arrived meanwhile
    if (this.#hasLeft) throw new Removed();
    return result;
  }

  protected async lock(keys: readonly bigint[], isFirst: boolean): Promise<void> {
    // nothing would release what it takes now
    if (this.#hasLeft) throw new Removed();
    const { keys: table } = this.#batch;
    if (!table.take(this, keys)) {
      // a unit that holds keys must not wait for more: another unit of the batch may be waiting for these
      if (!isFirst) this.#refuse();
      await this.#whilePending(table.takeInTurn(this, keys));
      if (this.#hasLeft) throw new Removed();
    }
    this.#keys.push(...keys);
    const locked = this.#batch.lock(keys);
    if (locked === null) return;
    const confirmed = this.#whilePending(locked).then((isLocked) => {
      if (!isLocked) this.#refuse();
    });
    this.confirm(confirmed);
  }

  /** A unit that cannot have its keys at once runs again where it may wait for them. */
  #refuse(): never {
    this.leave();
    throw new Removed();
  }

  async #whilePending<T>(work: Promise<T>): Promise<T> {
    this.#pending += 1;
    try {
      return await work;
    } finally {
      this.#pending -= 1;
    }
  }

  async #end(outcome: UnitOutcome<unknown>): Promise<void> {
    if (!this.isRunning) return;
    try {
      // a unit may have ended before the answer to its claim
      await this.confirmed();
    } catch {
      // the unit has left, or the batch has been rolled back
    }
    if (!this.isRunning) return;
    this.#outcome = this.#transaction.conclude(outcome);
    if (!this.#outcome.ok && this.hasWritten) this.#batch.takeBack(this.#outcome.error);
    this.#settle();
  }

  #settle(): void {
    this.#batch.keys.release(this, this.#keys);
    this.#done.resolve();
  }
}

// Async, so that a throw before the unit's first await becomes a rejection.
async function startUnit(unit: Unit<unknown>, transaction: WriteTransaction): Promise<unknown> {
  return unit(transaction);
}
