/** The largest body and half of another: a single thread reads them one by one, so more at once are answered no sooner. */
const BYTES_MAX = 3 * 1024 * 1024;
/** Half of what Shopify and Paddle wait for an answer, and longer than twenty of the largest deliveries usually take. */
const WAIT_MS_MAX = 2_500;
/** Longer than a roomful of large bodies usually takes once it has arrived. */
const ROOMFUL_MS = 250;

/** The place of one request's body in the room. */
export interface Place {
  /** Settles when the rest of a large body, of so many bytes at most, may be read. Call it at most once. */
  enter(byteCount: number): Promise<void>;
  /** Call it when the body is no longer needed, or will not come. */
  leave(): void;
}

interface Waiting {
  byteCount: number;
  /** True once it has waited for long enough. */
  isLate: boolean;
  admit(): void;
}

/**
 * Room for large bodies, each of which takes several times its size in memory until its request has been handled. Those
 * that find none stay with their senders, in the order of their arrival. A sender that takes its time can delay the
 * others, and not stop them: of those that have waited for long, as many are read as fit into an empty room, and after a
 * moment as many again. All at once, hundreds would be read although those before them are being answered.
 */
export class BodyRoom {
  readonly #bytesMax: number;
  readonly #waitMsMax: number;
  readonly #waiting = new Set<Waiting>();
  #byteCount = 0;
  /** Of the late ones that have entered in the last moment. */
  #lateByteCount = 0;

  constructor({ bytesMax = BYTES_MAX, waitMsMax = WAIT_MS_MAX } = {}) {
    this.#bytesMax = bytesMax;
    this.#waitMsMax = waitMsMax;
  }

  place(): Place {
    let leave = () => {};
    return {
      enter: (byteCount) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const body: Waiting = {
          byteCount,
          isLate: false,
          admit: () => {
            clearTimeout(timeout);
            this.#waiting.delete(body);
            this.#byteCount += byteCount;
            leave = () => {
              this.#byteCount -= byteCount;
              this.#admitNext();
            };
            resolve();
          },
        };
        const timeout = setTimeout(() => {
          body.isLate = true;
          this.#admitLate();
        }, this.#waitMsMax).unref();
        leave = () => {
          clearTimeout(timeout);
          this.#waiting.delete(body);
          this.#admitNext();
        };
        this.#waiting.add(body);
        this.#admitNext();
        return promise;
      },
      leave: () => {
        const leaveOnce = leave;
        leave = () => {};
        leaveOnce();
      },
    };
  }

  #admitNext(): void {
    for (const { byteCount, admit } of this.#waiting) {
      // the largest body fits into an empty room
      if (this.#byteCount > 0 && this.#byteCount + byteCount > this.#bytesMax) return;
      admit();
    }
  }

  #admitLate(): void {
    for (const { byteCount, isLate, admit } of this.#waiting) {
      if (!isLate || (this.#lateByteCount > 0 && this.#lateByteCount + byteCount > this.#bytesMax)) return;
      if (this.#lateByteCount === 0) setTimeout(() => this.#endMoment(), ROOMFUL_MS).unref();
      this.#lateByteCount += byteCount;
      admit();
    }
  }

  #endMoment(): void {
    this.#lateByteCount = 0;
    this.#admitLate();
  }
}
