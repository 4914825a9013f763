import type { DeliveryAnswer } from '../core/delivery.ts';
import { unavailable } from '../errors.ts';
import { errorFrom, type Settled } from './messages.ts';

/** More than this waits only for a thread that is held up, by its disk as it were. */
const COUNT_MAX = 2_000;
const BYTES_MAX = 64 * 1024 * 1024;

interface Waiting {
  resolve(answer: DeliveryAnswer): void;
  reject(error: Error): void;
  byteCount: number;
}

/** Deliveries that the thread was given and has not answered yet, by number. */
export class GivenDeliveries {
  readonly #waiting = new Map<number, Waiting>();
  #byteCount = 0;
  #lastNumber = 0;

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** @throws ServiceError `UNAVAILABLE` when too many wait already */
  add(byteCount: number): { number: number; answer: Promise<DeliveryAnswer> } {
    if (this.#waiting.size >= COUNT_MAX || this.#byteCount + byteCount > BYTES_MAX) {
      throw unavailable('Too many deliveries are waiting');
    }
    const { promise, resolve, reject } = Promise.withResolvers<DeliveryAnswer>();
    this.#lastNumber += 1;
    this.#waiting.set(this.#lastNumber, { resolve, reject, byteCount });
    this.#byteCount += byteCount;
    return { number: this.#lastNumber, answer: promise };
  }

  settle(settled: Settled): void {
    const waiting = this.#waiting.get(settled.number);
    if (waiting === undefined) return;
    this.#waiting.delete(settled.number);
    this.#byteCount -= waiting.byteCount;
    if (settled.error === null) waiting.resolve(settled.answer);
    else waiting.reject(errorFrom(settled.error));
  }

  rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#byteCount = 0;
  }
}
