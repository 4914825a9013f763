import type { DeliveryAnswer } from '../core/delivery.ts';
import { unavailable } from '../errors.ts';
import { errorFrom, type Settled } from './messages.ts';

/** Exceeded only when something blocks the thread, such as its disk. */
const COUNT_MAX = 2_000;
const BYTES_MAX = 64 * 1024 * 1024;

interface PendingDelivery {
  resolve(answer: DeliveryAnswer): void;
  reject(error: Error): void;
  byteCount: number;
}

/** Deliveries that were sent to the thread and have not been answered yet, by number. */
export class PendingDeliveries {
  readonly #pending = new Map<number, PendingDelivery>();
  #byteCount = 0;
  #lastNumber = 0;

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** @throws ServiceError `UNAVAILABLE` when too many are pending already */
  add(byteCount: number): { number: number; answer: Promise<DeliveryAnswer> } {
    if (this.#pending.size >= COUNT_MAX || this.#byteCount + byteCount > BYTES_MAX) {
      throw unavailable('Too many deliveries are waiting');
    }
    const { promise, resolve, reject } = Promise.withResolvers<DeliveryAnswer>();
    this.#lastNumber += 1;
    this.#pending.set(this.#lastNumber, { resolve, reject, byteCount });
    this.#byteCount += byteCount;
    return { number: this.#lastNumber, answer: promise };
  }

  settle(settled: Settled): void {
    const pending = this.#pending.get(settled.number);
    if (pending === undefined) return;
    this.#pending.delete(settled.number);
    this.#byteCount -= pending.byteCount;
    if (settled.error === null) pending.resolve(settled.answer);
    else pending.reject(errorFrom(settled.error));
  }

  rejectAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#byteCount = 0;
  }
}
