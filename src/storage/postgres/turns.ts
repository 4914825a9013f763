/** One turn at a time, in the order of requests. */
export class Turns {
  #isTaken = false;
  readonly #waiting = new Set<() => void>();

  /** Returns false when the turn did not come in time; otherwise, call `end` when it is over. */
  begin(waitMaxMs: number): Promise<boolean> {
    if (!this.#isTaken) {
      this.#isTaken = true;
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

  end(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isTaken = false;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
