/** Held by one caller at a time, in the order of requests. */
export class Mutex {
  #isHeld = false;
  readonly #waiting = new Set<() => void>();

  /** Returns false when it did not become free in time; otherwise, call `release` afterwards. */
  acquire(waitMaxMs: number): Promise<boolean> {
    if (!this.#isHeld) {
      this.#isHeld = true;
      return Promise.resolve(true);
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const next = () => {
      clearTimeout(timer);
      resolve(true);
    };
    const timer = setTimeout(() => {
      this.#waiting.delete(next);
      resolve(false);
    }, waitMaxMs);
    this.#waiting.add(next);
    return promise;
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isHeld = false;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
