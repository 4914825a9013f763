import { unavailable } from '../errors.ts';

/** Tracks the work in flight, so that `close` can wait for it and refuse new work. */
export class InFlightWork {
  #count = 0;
  readonly #idle = Promise.withResolvers<void>();
  #closed: Promise<void> | undefined;

  /** @throws ServiceError `UNAVAILABLE` after `close`; or whatever `work` throws */
  async track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw unavailable('The database is closed');
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#closed && this.#count === 0) this.#idle.resolve();
    }
  }

  /** Runs `finish` when all work in flight has ended; a second call waits for the first. */
  close(finish: () => Promise<unknown>): Promise<void> {
    this.#closed ??= this.#finish(finish);
    return this.#closed;
  }

  async #finish(finish: () => Promise<unknown>): Promise<void> {
    if (this.#count > 0) await this.#idle.promise;
    await finish();
  }
}
