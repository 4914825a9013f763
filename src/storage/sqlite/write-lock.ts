import { continueIdsAfter, lastIdPlace } from '../../ids.ts';

const OWNER = 0;
const NOBODY = 0;
/** Threads are numbered from 1. */
const THREADS_MAX = 8;

/** The numbers of the threads that may write; the other numbers are for report threads, of which several may run. */
export const MAIN_THREAD = 1;
export const DELIVERY_THREAD = 2;
export const REPORT_THREADS: readonly number[] = [3, 4, 5, 6, 7, 8];

/** The cells after those of the write lock: one for the checkpoint request, three about commits. */
const REQUEST = THREADS_MAX + 1;
const COMMITS = REQUEST + 1;
const CELLS = COMMITS + 3;
/** After them: the place of the last id that was created under the lock. */
const LAST_ID_BYTE = Math.ceil((CELLS * Int32Array.BYTES_PER_ELEMENT) / Float64Array.BYTES_PER_ELEMENT) * 8;

/** The shared memory of the write lock, of the requests for checkpoints, and of the commit log. */
export function createLockMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(LAST_ID_BYTE + 2 * Float64Array.BYTES_PER_ELEMENT);
}

/** How many commits were made, how many of them are on disk, and 1 while another one is being made. */
export function commitCellsIn(memory: SharedArrayBuffer): Int32Array {
  return new Int32Array(memory, COMMITS * Int32Array.BYTES_PER_ELEMENT, 3);
}

/**
 * A fair lock between threads of one process that write to the same file through separate connections. SQLite's own lock
 * goes to whoever asks first, so a thread that writes again at once would starve the others. Ids that are created under
 * this lock sort in the order of their creation, whichever thread creates them, so that of two events the later one does.
 */
export class WriteLock {
  readonly memory: SharedArrayBuffer;
  /** The owner of the lock, then one flag per thread: 1 while it waits. */
  readonly #cells: Int32Array;
  readonly #lastId: Float64Array;
  readonly #me: number;
  /** The place of this thread's last id when it acquired the lock. */
  #idBefore = lastIdPlace();

  /** @param me the number of this thread, which no other thread uses */
  constructor(memory: SharedArrayBuffer, me: number) {
    this.memory = memory;
    this.#cells = new Int32Array(memory, 0, THREADS_MAX + 1);
    this.#lastId = new Float64Array(memory, LAST_ID_BYTE, 2);
    this.#me = me;
  }

  /** True when this thread now holds the lock, until `release`. */
  tryAcquire(): boolean {
    const owner = Atomics.compareExchange(this.#cells, OWNER, NOBODY, this.#me);
    if (owner !== NOBODY && owner !== this.#me) return false;
    const [ms = 0, counter = 0] = this.#lastId;
    continueIdsAfter({ ms, counter });
    this.#idBefore = lastIdPlace();
    return true;
  }

  /** Waits until this thread holds the lock. Do not call it again before `release`. */
  async acquire(): Promise<void> {
    Atomics.store(this.#cells, this.#me, 1);
    while (!this.tryAcquire()) {
      const owner = Atomics.load(this.#cells, OWNER);
      if (owner === NOBODY || owner === this.#me) continue;
      const waiting = Atomics.waitAsync(this.#cells, OWNER, owner);
      if (waiting.async) await waiting.value;
    }
    Atomics.store(this.#cells, this.#me, 0);
  }

  /** Hands the lock to the next waiting thread, in the order of the thread numbers after this one. */
  release(): void {
    const { ms, counter } = lastIdPlace();
    // a thread that creates none may remember the time of a clock that was wrong
    if (ms !== this.#idBefore.ms || counter !== this.#idBefore.counter) this.#lastId.set([ms, counter]);
    this.#passOn(this.#me);
  }

  /** Releases whatever a dead thread held or waited for. */
  releaseDead(thread: number): void {
    Atomics.store(this.#cells, thread, 0);
    if (Atomics.load(this.#cells, OWNER) === thread) this.#passOn(thread);
  }

  #passOn(from: number): void {
    let next = NOBODY;
    for (let step = 1; step < THREADS_MAX && next === NOBODY; step++) {
      const thread = ((from - 1 + step) % THREADS_MAX) + 1;
      if (Atomics.load(this.#cells, thread) === 1) next = thread;
    }
    Atomics.store(this.#cells, OWNER, next);
    Atomics.notify(this.#cells, OWNER);
  }
}

/** Requests for a checkpoint: from the threads that write, to the main thread, which has it done. */
export class CheckpointRequests {
  readonly #cell: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#cell = new Int32Array(memory, REQUEST * Int32Array.BYTES_PER_ELEMENT, 1);
  }

  request(): void {
    Atomics.store(this.#cell, 0, 1);
    Atomics.notify(this.#cell, 0);
  }

  /** Waits until there is a request. */
  async wait(): Promise<void> {
    while (Atomics.load(this.#cell, 0) === 0) {
      const waiting = Atomics.waitAsync(this.#cell, 0, 0);
      if (waiting.async) await waiting.value;
    }
  }

  /** Clears earlier requests. */
  clear(): void {
    Atomics.store(this.#cell, 0, 0);
  }
}
