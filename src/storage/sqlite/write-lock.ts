const OWNER = 0;
const NOBODY = 0;

/** The fixed number of each of the two threads. */
type ThreadNumber = 1 | 2;

/** The shared memory of the write lock of both threads. */
export function createLockMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * A fair lock between two threads of one process that write to the same file through separate connections. SQLite's own
 * lock goes to whoever asks first, so a thread that writes again at once would starve the other.
 */
export class WriteLock {
  /** The owner of the lock, then one flag per thread: 1 while it waits. */
  readonly #cells: Int32Array;
  readonly #me: ThreadNumber;
  readonly #other: ThreadNumber;

  constructor(memory: SharedArrayBuffer, me: ThreadNumber) {
    this.#cells = new Int32Array(memory);
    this.#me = me;
    this.#other = me === 1 ? 2 : 1;
  }

  /** True when this thread now holds the lock, until `release`. */
  tryAcquire(): boolean {
    const owner = Atomics.compareExchange(this.#cells, OWNER, NOBODY, this.#me);
    return owner === NOBODY || owner === this.#me;
  }

  /** Waits until this thread holds the lock. Do not call it again before `release`. */
  async acquire(): Promise<void> {
    Atomics.store(this.#cells, this.#me, 1);
    while (!this.tryAcquire()) {
      const owner = this.#other;
      const waiting = Atomics.waitAsync(this.#cells, OWNER, owner);
      if (waiting.async) await waiting.value;
    }
    Atomics.store(this.#cells, this.#me, 0);
  }

  /** Hands the lock to the other thread if it waits. */
  release(): void {
    this.#passTo(Atomics.load(this.#cells, this.#other) === 1 ? this.#other : NOBODY);
  }

  /** Releases whatever the dead thread held or waited for. */
  releaseOther(): void {
    Atomics.store(this.#cells, this.#other, 0);
    if (Atomics.load(this.#cells, OWNER) === this.#other) this.#passTo(NOBODY);
  }

  #passTo(owner: ThreadNumber | typeof NOBODY): void {
    Atomics.store(this.#cells, OWNER, owner);
    Atomics.notify(this.#cells, OWNER);
  }
}
