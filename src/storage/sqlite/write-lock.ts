const OWNER = 0;
const NOBODY = 0;

/** Which of the two threads; neither changes its number. */
type ThreadNumber = 1 | 2;

/** The memory that both threads of a process share their write lock in. */
export function createLockMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * A fair lock between two threads of one process that write to the same file, each through a connection of its own. SQLite
 * has a lock too, but gives it to whoever asks first: a thread that writes again at once would starve the other.
 */
export class WriteLock {
  /** The owner of the lock, then for each thread whether it waits for the lock. */
  readonly #cells: Int32Array;
  readonly #me: ThreadNumber;
  readonly #other: ThreadNumber;

  constructor(memory: SharedArrayBuffer, me: ThreadNumber) {
    this.#cells = new Int32Array(memory);
    this.#me = me;
    this.#other = me === 1 ? 2 : 1;
  }

  /** True when this thread holds the lock from now on, until `release`. */
  tryAcquire(): boolean {
    const owner = Atomics.compareExchange(this.#cells, OWNER, NOBODY, this.#me);
    return owner === NOBODY || owner === this.#me;
  }

  /** Waits until this thread holds the lock. Not to be called again before `release`. */
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

  /** Releases whatever the other thread held or waited for; to be called after it ended. */
  releaseOther(): void {
    Atomics.store(this.#cells, this.#other, 0);
    if (Atomics.load(this.#cells, OWNER) === this.#other) this.#passTo(NOBODY);
  }

  #passTo(owner: ThreadNumber | typeof NOBODY): void {
    Atomics.store(this.#cells, OWNER, owner);
    Atomics.notify(this.#cells, OWNER);
  }
}
