/** A client that does not read is dropped when this many messages wait for it. */
const WAITING_MAX = 1_000;

/**
 * The messages of one client of an event stream, in order. Ends when the client leaves, when `end` is called, or when
 * too many messages are waiting.
 */
export class EventStream implements AsyncIterableIterator<string> {
  readonly #waiting: string[] = [];
  readonly #onEnd: () => void;
  #next: ((result: IteratorResult<string>) => void) | null = null;
  #hasEnded = false;
  #lastSentAt: number;

  constructor(now: number, onEnd: () => void) {
    this.#lastSentAt = now;
    this.#onEnd = onEnd;
  }

  /** When something was last sent, in the time of `send`. */
  get lastSentAt(): number {
    return this.#lastSentAt;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  send(message: string, now: number): void {
    if (this.#hasEnded) return;
    this.#lastSentAt = now;
    const next = this.#next;
    this.#next = null;
    if (next !== null) next({ done: false, value: message });
    else if (this.#waiting.length >= WAITING_MAX) this.end();
    else this.#waiting.push(message);
  }

  /** Drops the waiting messages. The client requests them again when it reconnects. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#waiting.length = 0;
    this.#next?.({ done: true, value: undefined });
    this.#next = null;
    this.#onEnd();
  }

  next(): Promise<IteratorResult<string>> {
    const message = this.#waiting.shift();
    if (message !== undefined) return Promise.resolve({ done: false, value: message });
    if (this.#hasEnded) return Promise.resolve({ done: true, value: undefined });
    const { promise, resolve } = Promise.withResolvers<IteratorResult<string>>();
    this.#next = resolve;
    return promise;
  }

  /** Called when the client has left. Takes effect at once; a generator would only end at the next message. */
  return(): Promise<IteratorResult<string>> {
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  throw(): Promise<IteratorResult<string>> {
    return this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
