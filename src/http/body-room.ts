import type { ServerResponse } from 'node:http';

/** The bytes of a body that wait for nothing. */
export const FREE_BYTES = 128 * 1024;
/** One of the largest bodies: a single thread reads them one after the other, so more at once are not answered sooner. */
const BYTES_MAX = 3 * 1024 * 1024;
/** Half of what Shopify and Paddle wait for an answer, and longer than twenty of the largest deliveries usually take. */
const WAIT_MS_MAX = 2_500;

/** Waits until the rest of a large body, of so many bytes at most, may be read. */
export type EnterRoom = (byteCount: number) => Promise<void>;

/**
 * Room for large bodies, each of which takes several times its size in memory until it is answered. Those that find none
 * stay with their senders, in the order of their arrival. Nobody is refused: whoever has waited for long enough is read
 * anyway, so a sender that takes its time cannot stop the others.
 */
export class BodyRoom {
  readonly #bytesMax: number;
  readonly #waitMsMax: number;
  readonly #waiting = new Set<{ byteCount: number; admit(): void }>();
  #byteCount = 0;

  constructor({ bytesMax = BYTES_MAX, waitMsMax = WAIT_MS_MAX } = {}) {
    this.#bytesMax = bytesMax;
    this.#waitMsMax = waitMsMax;
  }

  /** For one body; it has the room until its response is closed. */
  until(response: ServerResponse): EnterRoom {
    return (byteCount) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const body = {
        byteCount,
        admit: () => {
          clearTimeout(patience);
          this.#waiting.delete(body);
          this.#byteCount += byteCount;
          response.once('close', () => {
            this.#byteCount -= byteCount;
            this.#admitNext();
          });
          resolve();
        },
      };
      const patience = setTimeout(body.admit, this.#waitMsMax).unref();
      response.once('close', () => {
        clearTimeout(patience);
        this.#waiting.delete(body);
      });
      this.#waiting.add(body);
      this.#admitNext();
      return promise;
    };
  }

  #admitNext(): void {
    for (const { byteCount, admit } of this.#waiting) {
      // the largest body fits into an empty room
      if (this.#byteCount > 0 && this.#byteCount + byteCount > this.#bytesMax) return;
      admit();
    }
  }
}
