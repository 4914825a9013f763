import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { unavailable } from '../../errors.ts';
import { DatabaseFailure, type Unit, type WriteOptions } from '../database.ts';
import { unavailableBecause, uncertainBecause } from '../unavailable.ts';
import { type BatchResult, type BatchUnit, runBatch } from './batch.ts';
import type { CommitLog } from './commit-log.ts';
import type { SqliteConnection } from './connection.ts';
import type { WriteLock } from './write-lock.ts';

interface GroupCommitOptions {
  /** Set when a commit of the connection returns before it is on disk. */
  log?: Pick<CommitLog, 'noting' | 'durable' | 'failure'> | undefined;
  /** Set when another thread of this process writes as well. */
  writeLock?: WriteLock | undefined;
  /** True for a command: a server may be writing to the file as well. */
  isBesideServer?: boolean | undefined;
  /** Called after each commit. */
  onCommit?: (() => void) | undefined;
}

type Outcomes = Extract<BatchResult, { committed: true }>['outcomes'];

interface Member extends BatchUnit {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  waitingSince: number;
  /** Its batch was rolled back; it runs again in its own transaction. */
  alone: boolean;
}

/** So many rarely take longer than a batch may. */
const BATCH_MAX = 128;
const QUEUE_MAX = 10_000;
const LOCK_WAIT_MAX_MS = 2_000;
const LOCK_RETRY_MS = 10;
const LOCK_CHECK_MS = 100;
/**
 * SQLite's lock goes to whoever asks at the right moment, and a command that writes row after row leaves it free for
 * moments only. A pause is longer than a server waits between two attempts.
 */
const BESIDE_SERVER = { stretchMs: 20, pauseMs: 15 };
const OTHER_THREAD_WRITES = 'Another thread of this process is writing to the database';
const DISK_IS_SLOW = 'The disk takes long to store what was written';

/**
 * Runs units of work in shared transactions: all units queued in one turn of the event loop share one BEGIN IMMEDIATE …
 * COMMIT, and so one fsync, unless they take too long together. No unit settles, successful or not, before the commit is on
 * disk. Meanwhile the next batch collects.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection;
  readonly #log: GroupCommitOptions['log'];
  readonly #writeLock: WriteLock | undefined;
  readonly #isBesideServer: boolean;
  readonly #onCommit: (() => void) | undefined;
  #queue: Member[] = [];
  #working = false;
  /** Set while the disk stores the last batch. */
  #storing: Promise<void> | undefined;
  #lastWriteAt = Number.NEGATIVE_INFINITY;
  /** Since when there was no pause between two writes. */
  #writingSince = 0;

  constructor(
    connection: SqliteConnection,
    { log, writeLock, isBesideServer = false, onCommit }: GroupCommitOptions = {},
  ) {
    this.#connection = connection;
    this.#log = log;
    this.#writeLock = writeLock;
    this.#isBesideServer = isBesideServer;
    this.#onCommit = onCommit;
  }

  /**
   * @throws ServiceError `UNAVAILABLE` when full or locked, or after the disk failed; `OUTCOME_UNKNOWN` when it fails
   *   during the commit; or whatever the unit throws
   */
  write<T>(unit: Unit<T>, { alone: readsSums = false }: WriteOptions = {}): Promise<T> {
    if (this.#log?.failure) return Promise.reject(unavailableBecause(this.#log.failure));
    if (this.#queue.length >= QUEUE_MAX) return Promise.reject(unavailable('Too many writes are waiting'));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        unit,
        readsSums,
        resolve: (value) => resolve(value as T),
        reject: (error) => reject(error instanceof DatabaseFailure ? unavailableBecause(error) : error),
        waitingSince: performance.now(),
        alone: false,
      });
      if (!this.#working) void this.#drainQueue();
    });
  }

  async #drainQueue(): Promise<void> {
    this.#working = true;
    while (this.#queue.length > 0) {
      // One turn of the event loop, so that units of the same network packets join this batch.
      await yieldToEventLoop();
      // running while the disk works would make batches smaller, which costs more than it gains
      if (this.#storing) await this.#waitFor(this.#storing, DISK_IS_SLOW);
      if (this.#isBesideServer) await this.#letServerWrite();
      if (this.#writeLock?.tryAcquire() === false) await this.#waitFor(this.#writeLock.acquire(), OTHER_THREAD_WRITES);
      const started = this.#startTransaction();
      try {
        if (started) await this.#runNextBatch();
      } finally {
        this.#writeLock?.release();
        this.#lastWriteAt = performance.now();
      }
      if (!started && this.#queue.length > 0) await sleep(LOCK_RETRY_MS);
    }
    this.#working = false;
  }

  async #letServerWrite(): Promise<void> {
    const { stretchMs, pauseMs } = BESIDE_SERVER;
    const now = performance.now();
    if (now < this.#lastWriteAt + pauseMs) {
      if (now < this.#writingSince + stretchMs) return;
      await sleep(pauseMs);
    }
    this.#writingSince = performance.now();
  }

  /** The disk or the other thread may be blocked; members that wait too long are rejected meanwhile. */
  async #waitFor(waiting: Promise<void>, why: string): Promise<void> {
    const blockedSince = performance.now();
    const check = setInterval(() => {
      const isBlocked = performance.now() - blockedSince >= LOCK_WAIT_MAX_MS;
      if (isBlocked) this.#rejectWaiting(LOCK_WAIT_MAX_MS, unavailable(why));
    }, LOCK_CHECK_MS);
    try {
      await waiting;
    } finally {
      clearInterval(check);
    }
  }

  /** False when no transaction could start; rejects the members that have waited too long. */
  #startTransaction(): boolean {
    try {
      this.#connection.run('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      const waitMaxMs = error instanceof DatabaseFailure && error.retryable ? LOCK_WAIT_MAX_MS : 0;
      this.#rejectWaiting(waitMaxMs, error);
      return false;
    }
  }

  #rejectWaiting(waitMaxMs: number, error: unknown): void {
    const now = performance.now();
    const hasWaited = ({ waitingSince }: Member) => now - waitingSince >= waitMaxMs;
    const rejected = this.#queue.filter(hasWaited);
    this.#queue = this.#queue.filter((member) => !hasWaited(member));
    for (const { reject } of rejected) reject(error);
  }

  async #runNextBatch(): Promise<void> {
    const members = this.#takeMembers();
    const changesBefore = this.#connection.changeCount;
    const result = await runBatch(this.#connection, members, (commit) => {
      if (this.#log && this.#connection.changeCount > changesBefore) this.#log.noting(commit);
      else commit();
    });
    if (!result.committed) return this.#runAgain(members, result.culprit, result.error);
    this.#queue.unshift(...members.splice(result.outcomes.length));
    this.#onCommit?.();
    // A batch that wrote nothing may also depend on commits that are not on disk yet: a 409 for a sale of the batch
    // before.
    const stored = this.#log?.durable();
    if (stored === undefined) settle(members, result.outcomes);
    else this.#storing = this.#settleWhen(stored, members, result.outcomes);
  }

  async #settleWhen(stored: Promise<void>, members: readonly Member[], outcomes: Outcomes): Promise<void> {
    try {
      await stored;
      settle(members, outcomes);
    } catch (error) {
      for (const { reject } of members) reject(error instanceof DatabaseFailure ? uncertainBecause(error) : error);
    }
    this.#storing = undefined;
  }

  #takeMembers(): Member[] {
    const firstAlone = this.#queue.findIndex(({ alone }) => alone);
    if (firstAlone === 0) return this.#queue.splice(0, 1);
    return this.#queue.splice(0, firstAlone < 0 ? BATCH_MAX : Math.min(firstAlone, BATCH_MAX));
  }

  /** The batch was rolled back. Its members may depend on each other's rows, so even the rejected ones run again. */
  #runAgain(members: Member[], culprit: number | undefined, error: unknown): void {
    const again: Member[] = [];
    members.forEach((member, index) => {
      if (index === culprit || member.alone) void this.#rejectWhenStored(member, error);
      else again.push({ ...member, alone: true });
    });
    this.#queue.unshift(...again);
  }

  /** Its failure may depend on what another thread wrote. */
  async #rejectWhenStored(member: Member, error: unknown): Promise<void> {
    await this.#log?.durable()?.catch(() => {});
    member.reject(error);
  }
}

function settle(members: readonly Member[], outcomes: Outcomes): void {
  members.forEach((member, index) => {
    const outcome = outcomes[index];
    if (outcome?.ok) member.resolve(outcome.value);
    else member.reject(outcome?.error);
  });
}
