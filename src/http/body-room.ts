/** The largest body and half of another: a single thread reads them one by one, so more at once are answered no sooner. */
const BYTES_MAX = 3 * 1024 * 1024;
/** Half of what Shopify and Paddle wait for an answer, and longer than twenty of the largest deliveries usually take. */
const WAIT_MS_MAX = 2_500;
/** Longer than nearly all large bodies take once they have arrived: after that, those inside wait for their senders. */
const STILL_MS = 250;

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
 * others, and not stop them: when nobody leaves for a while, as many of those that have waited for long are read as fit
 * into an empty room. All at once, hundreds would be read although those before them are being answered.
 */
export class BodyRoom {
  readonly #bytesMax: number;
  readonly #waitMsMax: number;
  readonly #waiting = new Set<Waiting>();
  #byteCount = 0;
  /** Pending for a while after somebody has left, or late ones have entered. */
  #moving: NodeJS.Timeout | null = null;

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
            clearTimeout(patience);
            this.#waiting.delete(body);
            this.#byteCount += byteCount;
            leave = () => {
              this.#byteCount -= byteCount;
              this.#noteMove();
              this.#admitNext();
            };
            resolve();
          },
        };
        const patience = setTimeout(() => {
          body.isLate = true;
          this.#admitLate();
        }, this.#waitMsMax).unref();
        leave = () => {
          clearTimeout(patience);
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
    if (this.#moving !== null) return;
    let lateBytes = 0;
    for (const { byteCount, isLate, admit } of this.#waiting) {
      if (!isLate || (lateBytes > 0 && lateBytes + byteCount > this.#bytesMax)) break;
      lateBytes += byteCount;
      admit();
    }
    if (lateBytes > 0) this.#noteMove();
  }

  #noteMove(): void {
    if (this.#moving !== null) clearTimeout(this.#moving);
    this.#moving = setTimeout(() => {
      this.#moving = null;
      this.#admitLate();
    }, STILL_MS).unref();
  }
}
