import type { DeliveryAnswer } from '../core/delivery.ts';
import { unavailable } from '../errors.ts';
import { errorFrom, type Settled } from './messages.ts';

/** Exceeded only when something blocks the thread, such as its disk. */
const COUNT_MAX = 2_000;
const BYTES_MAX = 64 * 1024 * 1024;
/** After more checks in a row without a settled delivery, the thread is blocked. */
const CHECKS_MAX = 5;

interface PendingDelivery {
  resolve(answer: DeliveryAnswer): void;
  reject(error: Error): void;
  byteCount: number;
}

/** Deliveries that were sent to the thread and have not been settled by it yet, by number. */
export class PendingDeliveries {
  readonly #pending = new Map<number, PendingDelivery>();
  #byteCount = 0;
  #lastNumber = 0;
  #checkCount = 0;

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** True from a check that found the thread blocked until the thread settles a delivery. */
  get isBlocked(): boolean {
    return this.#checkCount > CHECKS_MAX;
  }

  /** @throws ServiceError `UNAVAILABLE` when too many are pending already */
  add(byteCount: number): { number: number; answer: Promise<DeliveryAnswer> } {
    if (this.#pending.size >= COUNT_MAX || this.#byteCount + byteCount > BYTES_MAX) {
      throw unavailable('Too many deliveries are waiting');
    }
    if (this.isEmpty) this.#checkCount = 0;
    const { promise, resolve, reject } = Promise.withResolvers<DeliveryAnswer>();
    this.#lastNumber += 1;
    this.#pending.set(this.#lastNumber, { resolve, reject, byteCount });
    this.#byteCount += byteCount;
    return { number: this.#lastNumber, answer: promise };
  }

  settle(settled: Settled): void {
    this.#checkCount = 0;
    const pending = this.#pending.get(settled.number);
    if (pending === undefined) return;
    this.#pending.delete(settled.number);
    this.#byteCount -= pending.byteCount;
    if (settled.error === null) pending.resolve(settled.answer);
    else pending.reject(errorFrom(settled.error));
  }

  /**
   * Call it at regular times: it counts the calls, because time also passes while the whole process is stopped. When the
   * thread is found to be blocked, returns true once and rejects all deliveries. They stay pending, because the thread
   * may yet store them.
   */
  check(error: Error): boolean {
    if (this.isEmpty) return false;
    this.#checkCount += 1;
    if (this.#checkCount !== CHECKS_MAX + 1) return false;
    for (const { reject } of this.#pending.values()) reject(error);
    return true;
  }

  rejectAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#byteCount = 0;
  }
}
