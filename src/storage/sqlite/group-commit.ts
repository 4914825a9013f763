import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../../errors.ts';
import { DatabaseFailure, type Unit } from '../database.ts';
import { runBatch } from './batch.ts';
import type { SqliteConnection } from './connection.ts';
import type { WriteLock } from './write-lock.ts';

interface Member {
  unit: Unit<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  waitingSince: number;
  /** Nothing of the batch that it was in was kept; it runs again, without neighbours. */
  alone: boolean;
}

/** A batch runs without giving way to anything else, so its length bounds everybody's latency. */
const BATCH_MAX = 128;
const QUEUE_MAX = 10_000;
const LOCK_WAIT_MAX_MS = 2_000;
const LOCK_RETRY_MS = 10;
const LOCK_CHECK_MS = 100;

/**
 * Runs units of work in shared transactions: all that are waiting when the event loop turns share one
 * BEGIN IMMEDIATE … COMMIT, and so one fsync. Nobody hears of an outcome, good or bad, before the commit.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection;
  readonly #writeLock: WriteLock | undefined;
  #queue: Member[] = [];
  #working = false;

  /** @param writeLock where another thread of this process writes too */
  constructor(connection: SqliteConnection, writeLock?: WriteLock) {
    this.#connection = connection;
    this.#writeLock = writeLock;
  }

  /** @throws ServiceError `UNAVAILABLE` when full or locked; or whatever the unit throws */
  write<T>(unit: Unit<T>): Promise<T> {
    if (this.#queue.length >= QUEUE_MAX) return Promise.reject(unavailable('Too many writes are waiting'));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({
        unit,
        resolve: (value) => resolve(value as T),
        reject: (error) => reject(error instanceof DatabaseFailure ? unavailable(error.message, error) : error),
        waitingSince: performance.now(),
        alone: false,
      });
      if (!this.#working) void this.#workOff();
    });
  }

  async #workOff(): Promise<void> {
    this.#working = true;
    while (this.#queue.length > 0) {
      // A turn of the event loop: whoever came with the same packets joins this batch.
      await nextTurn();
      if (this.#writeLock?.tryAcquire() === false) await this.#waitFor(this.#writeLock);
      const began = this.#begin();
      try {
        if (began) await this.#runNextBatch();
      } finally {
        this.#writeLock?.release();
      }
      if (!began && this.#queue.length > 0) await sleep(LOCK_RETRY_MS);
    }
    this.#working = false;
  }

  /** The other thread may be held up by its disk: meanwhile, members that have waited for too long are refused. */
  async #waitFor(writeLock: WriteLock): Promise<void> {
    const held = unavailable('The other writer of this process holds the database');
    const check = setInterval(() => this.#refuseWaiting(LOCK_WAIT_MAX_MS, held), LOCK_CHECK_MS);
    try {
      await writeLock.acquire();
    } finally {
      clearInterval(check);
    }
  }

  /** False when no transaction could begin; then those who have waited long enough were refused. */
  #begin(): boolean {
    try {
      this.#connection.run('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      const waitMaxMs = error instanceof DatabaseFailure && error.retryable ? LOCK_WAIT_MAX_MS : 0;
      this.#refuseWaiting(waitMaxMs, error);
      return false;
    }
  }

  #refuseWaiting(waitMaxMs: number, error: unknown): void {
    const now = performance.now();
    const hasWaited = ({ waitingSince }: Member) => now - waitingSince >= waitMaxMs;
    const refused = this.#queue.filter(hasWaited);
    this.#queue = this.#queue.filter((member) => !hasWaited(member));
    for (const { reject } of refused) reject(error);
  }

  async #runNextBatch(): Promise<void> {
    const members = this.#takeMembers();
    const result = await runBatch(
      this.#connection,
      members.map(({ unit }) => unit),
    );
    if (!result.committed) return this.#runAgain(members, result.culprit, result.error);
    members.forEach((member, index) => {
      const outcome = result.outcomes[index];
      if (outcome?.ok) member.resolve(outcome.value);
      else member.reject(outcome?.error);
    });
  }

  #takeMembers(): Member[] {
    const firstAlone = this.#queue.findIndex(({ alone }) => alone);
    if (firstAlone === 0) return this.#queue.splice(0, 1);
    return this.#queue.splice(0, firstAlone < 0 ? BATCH_MAX : Math.min(firstAlone, BATCH_MAX));
  }

  /** Nothing of the batch was kept. Its members may have rested on each other's rows, so also the rejected run again. */
  #runAgain(members: Member[], culprit: number | undefined, error: unknown): void {
    const again: Member[] = [];
    members.forEach((member, index) => {
      if (index === culprit || member.alone) member.reject(error);
      else again.push({ ...member, alone: true });
    });
    this.#queue.unshift(...again);
  }
}
