const OWNER = 0;
const NOBODY = 0;

/** Which of the two threads; each is one for good. */
export type Party = 1 | 2;

/** The memory that both threads of a process make their turns with. */
export function createTurnsMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Takes turns at writing between two threads of one process, each with a connection of its own. SQLite would let either
 * write too, but whoever comes back at once would be first again, and the other wait for as long as that goes on.
 */
export class WriterTurns {
  /** Whose turn it is, and for each party whether it waits for its own. */
  readonly #cells: Int32Array;
  readonly #me: Party;
  readonly #other: Party;

  constructor(memory: SharedArrayBuffer, me: Party) {
    this.#cells = new Int32Array(memory);
    this.#me = me;
    this.#other = me === 1 ? 2 : 1;
  }

  /** True when it is this thread's turn from now on, until `give`. */
  takeNow(): boolean {
    const owner = Atomics.compareExchange(this.#cells, OWNER, NOBODY, this.#me);
    return owner === NOBODY || owner === this.#me;
  }

  /** Waits until it is this thread's turn, which it is until `give`. Not to be called twice in between. */
  async take(): Promise<void> {
    Atomics.store(this.#cells, this.#me, 1);
    while (!this.takeNow()) {
      const owner = this.#other;
      const waiting = Atomics.waitAsync(this.#cells, OWNER, owner);
      if (waiting.async) await waiting.value;
    }
    Atomics.store(this.#cells, this.#me, 0);
  }

  /** The other one is next if it waits. */
  give(): void {
    this.#pass(Atomics.load(this.#cells, this.#other) === 1 ? this.#other : NOBODY);
  }

  /** The other thread is no more, and neither are its turn and its wish for one. */
  outlive(): void {
    Atomics.store(this.#cells, this.#other, 0);
    if (Atomics.load(this.#cells, OWNER) === this.#other) this.#pass(NOBODY);
  }

  #pass(owner: Party | typeof NOBODY): void {
    Atomics.store(this.#cells, OWNER, owner);
    Atomics.notify(this.#cells, OWNER);
  }
}
