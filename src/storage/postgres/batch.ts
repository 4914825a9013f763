import pg from 'pg';
import { DatabaseFailure, type SqlParameters, type Unit } from '../database.ts';
import { runLast, type Session, type UnitOutcome, WriteTransaction } from '../write-transaction.ts';
import { BatchKeys } from './batch-keys.ts';
import { BatchMember, Removed } from './batch-member.ts';
import type { PipelinedClient } from './client.ts';
import { lostConnection } from './failure.ts';
import type { PostgresStatements } from './statements.ts';
import type { WireQuery, WireResult } from './wire-query.ts';
import { commit, sendOn, TRY_LOCK } from './write.ts';

/**
 * Committed: every unit's outcome, in order; undefined for a unit that left and must run again. Not committed: nothing
 * was stored because of `error`. A rejection means that the outcome is unknown.
 */
export type BatchResult =
  | { committed: true; outcomes: (UnitOutcome<unknown> | undefined)[] }
  | { committed: false; error: unknown };

const SILENCE_MAX_MS = 1_000;
const COMMIT_MAX_MS = 5_000;

/**
 * Units of work in one transaction on one pipelined connection. They run side by side, so all of them together take
 * about as many round trips as one. They commit together or not at all; no unit can be rolled back alone.
 */
export class Batch {
  readonly keys = new BatchKeys<BatchMember>();
  readonly #client: PipelinedClient;
  readonly #statements: PostgresStatements;
  readonly #members: BatchMember[] = [];
  /** The keys that the transaction has locked against other transactions. */
  readonly #locked = new Set<bigint>();
  /** The statement that locks keys in the next wave: one for all units. */
  #locking: { keys: bigint[]; taken: Promise<Set<unknown>> } | null = null;
  readonly #takenBack = Promise.withResolvers<void>();
  readonly #sent = Promise.withResolvers<void>();
  #failure: { error: unknown } | undefined;
  /** When the batch before this one on the connection ended. Both times are infinite until then. */
  #firstSince = Number.POSITIVE_INFINITY;
  #lastAnswerAt = Number.POSITIVE_INFINITY;
  #isCommitting = false;
  readonly #closing = new WriteTransaction(this.#closingSession());
  #begun: Promise<unknown> = Promise.resolve();

  /** @param before settles when the batch before this one has ended */
  constructor(client: PipelinedClient, statements: PostgresStatements, before: Promise<void>) {
    this.#client = client;
    this.#statements = statements;
    void before.then(() => {
      this.#firstSince = performance.now();
      this.#lastAnswerAt = this.#firstSince;
    });
  }

  /** Settles when everything is sent, COMMIT included, or will not be: the next batch may begin behind this one. */
  get sent(): Promise<void> {
    return this.#sent.promise;
  }

  /** Settles when the transaction has begun. */
  get begun(): Promise<unknown> {
    return this.#begun;
  }

  /** For how long this batch has been the first on its connection; negative while one before it is committing. */
  get firstForMs(): number {
    return performance.now() - this.#firstSince;
  }

  /** True when the server had been silent for so long that it may be gone. A commit may take as long as the disk needs. */
  wasSilentAt(now: number): boolean {
    const maxMs = this.#isCommitting ? COMMIT_MAX_MS : SILENCE_MAX_MS;
    return now - this.#lastAnswerAt > maxMs;
  }

  /**
   * Runs the units and commits. Call it once.
   *
   * @throws ServiceError `OUTCOME_UNKNOWN` when that of COMMIT is unknown, for all units but those that have left
   */
  async run(units: readonly Unit<unknown>[]): Promise<BatchResult> {
    const onLost = () => this.takeBack(lostConnection());
    this.#client.once('error', onLost).once('end', onLost);
    try {
      this.#begun = Promise.all(this.#client.beginning.map((query) => this.send(query)));
      this.#begun.catch(() => {});
      const running = units.map((unit) => {
        const member = new BatchMember(this, this.#statements);
        this.#members.push(member);
        return member.start(unit);
      });
      await Promise.race([Promise.all(running), this.#takenBack.promise]);
      if (!this.#failure) await Promise.race([this.#runLast(), this.#takenBack.promise]);
      if (!this.#failure) await this.#commit();
    } finally {
      this.#sent.resolve();
      this.#client.off('error', onLost).off('end', onLost);
    }
    if (this.#failure) return { committed: false, error: this.#failure.error };
    return { committed: true, outcomes: this.#members.map(({ outcome }) => outcome) };
  }

  /** Sends a query of any member. An error of the server fails the transaction for all of them. */
  async send(query: WireQuery, member?: BatchMember): Promise<WireResult> {
    if (this.#failure) throw this.#failure.error;
    try {
      const result = await sendOn(this.#client, query, member);
      this.#lastAnswerAt = performance.now();
      return result;
    } catch (error) {
      // any other error is a value that we could not read, after which the transaction continues
      if (error instanceof pg.DatabaseError || error instanceof DatabaseFailure) this.takeBack(error);
      throw error;
    }
  }

  /** Locks keys against other transactions, without waiting; null when the batch has already locked them. */
  lock(keys: readonly bigint[]): Promise<boolean> | null {
    const missing = keys.filter((key) => !this.#locked.has(key));
    if (missing.length === 0) return null;
    return this.#lockMissing(missing);
  }

  /** True when the unit in this place has left: nothing of it is in the transaction. */
  hasLeft(index: number): boolean {
    return this.#members[index]?.outcome === undefined;
  }

  /** Gives up on the transaction: nothing is stored, and every unit runs again. The first reason counts. */
  takeBack(error: unknown): void {
    if (this.#failure || this.#isCommitting) return;
    this.#failure = { error };
    this.#takenBack.resolve();
    for (const member of this.#members) member.leave();
  }

  /** Makes every unit leave and run again elsewhere, because the batch before this one takes too long. */
  makeLeave(): void {
    this.takeBack(new Removed());
  }

  /** Makes units leave that await something other than their queries; returns whether there were any. */
  expelStrangers(): boolean {
    const strangers = this.#members.filter((member) => member.awaitsSomethingElse);
    for (const member of strangers) member.leave();
    return strangers.length > 0;
  }

  async #lockMissing(keys: readonly bigint[]): Promise<boolean> {
    this.#locking ??= this.#startLocking();
    this.#locking.keys.push(...keys);
    const taken = await this.#locking.taken;
    if (keys.some((key) => taken.has(String(key)))) return false;
    for (const key of keys) this.#locked.add(key);
    return true;
  }

  /** Takes its place in the wave at once, before the lookups of all units whose keys it locks. */
  #startLocking() {
    const keys: bigint[] = [];
    const values = () => {
      this.#locking = null;
      return [`{${keys.join(',')}}`];
    };
    const taken = this.send({ ...TRY_LOCK, values }).then(({ rows }) => new Set(rows.map((row) => row.taken)));
    return { keys, taken };
  }

  /** Settles when the `last` work of the units has been sent, after the writes that they did not wait for. */
  async #runLast(): Promise<void> {
    const succeeded = this.#members.filter(({ outcome }) => outcome?.ok);
    try {
      await runLast(
        this.#closing,
        succeeded.flatMap(({ leftToEnd }) => leftToEnd),
      );
      const outcome = this.#closing.conclude({ ok: true, value: undefined });
      if (!outcome.ok) this.takeBack(outcome.error);
    } catch (error) {
      this.takeBack(error);
    }
  }

  #closingSession(): Session {
    const query = (sql: string, parameters: SqlParameters) =>
      this.send(this.#statements.queryFor(sql, parameters).query);
    return {
      get: async (sql, parameters) => (await query(sql, parameters)).rows[0],
      all: async (sql, parameters) => (await query(sql, parameters)).rows,
      run: async (sql, parameters) => (await query(sql, parameters)).rowCount,
      claim: async () => {
        throw new Error('Work that is left to the end must not claim');
      },
    };
  }

  /**
   * Sends COMMIT without waiting for the last writes: after a write that failed, the server skips it, or rolls back
   * instead.
   */
  async #commit(): Promise<void> {
    this.#isCommitting = true;
    this.#lastAnswerAt = performance.now();
    try {
      const committed = commit(this.#client);
      this.#sent.resolve();
      await committed;
    } catch (error) {
      const isCertain = error instanceof DatabaseFailure || error instanceof pg.DatabaseError;
      // the outcome does not matter when there was nothing to store
      if (!isCertain && this.#members.some(({ hasWritten, leftToEnd }) => hasWritten || leftToEnd.length > 0))
        throw error;
      this.#failure = { error: isCertain ? error : lostConnection() };
      return;
    }
    await Promise.all([this.#closing.settled(), ...this.#members.map((member) => member.settled())]);
  }
}
