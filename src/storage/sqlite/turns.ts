import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** A query that begins by then, the commit and the answers rarely take longer than a turn may. */
const QUERIES_MS_MAX = 12;

/**
 * The turns of the event loop that a batch takes. A unit of work that takes long continues in the next turn, in the same
 * transaction, so that other requests are answered meanwhile, except those that write.
 */
export class Turns {
  #queriesUntil = performance.now() + QUERIES_MS_MAX;
  #next: Promise<void> | undefined;

  /** Undefined while another query may begin; otherwise the next turn, for which queries wait in their order. */
  whenDue(): Promise<void> | undefined {
    if (this.#next === undefined && performance.now() >= this.#queriesUntil) this.#next = this.#startNext();
    return this.#next;
  }

  /** True while a unit waits for the next turn. */
  get isBetween(): boolean {
    return this.#next !== undefined;
  }

  async #startNext(): Promise<void> {
    await yieldToEventLoop();
    this.#next = undefined;
    this.#queriesUntil = performance.now() + QUERIES_MS_MAX;
  }
}
