import { unavailable } from '../errors.ts';

/** Knows what a database is still doing, so that `close` can wait for it and refuse what comes later. */
export class UnderWay {
  readonly #running = new Set<Promise<void>>();
  #closed: Promise<void> | undefined;

  /** @throws ServiceError `UNAVAILABLE` after `close`; or whatever `work` throws */
  async track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw unavailable('The database is closed');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.add(promise);
    try {
      return await work();
    } finally {
      this.#running.delete(promise);
      resolve();
    }
  }

  /** Runs `finish` when everything under way has ended; a second call waits for the first. */
  close(finish: () => Promise<unknown>): Promise<void> {
    this.#closed ??= Promise.all(this.#running).then(async () => {
      await finish();
    });
    return this.#closed;
  }
}
