/** Keys that a unit waits for, until nobody else has one of them. */
interface Waiting<Holder> {
  holder: Holder;
  keys: readonly bigint[];
  grant(): void;
}

/**
 * Which unit of a batch has which claim keys. The units share a transaction, in which the server's locks do not keep them
 * apart.
 */
export class BatchKeys<Holder> {
  readonly #holders = new Map<bigint, Holder>();
  #waiting: Waiting<Holder>[] = [];

  /** Takes all of the keys or none; false when another unit has one. */
  take(holder: Holder, keys: readonly bigint[]): boolean {
    if (keys.some((key) => (this.#holders.get(key) ?? holder) !== holder)) return false;
    for (const key of keys) this.#holders.set(key, holder);
    return true;
  }

  /** Settles when the holder has all of the keys, or has released what it had. Never call it for a holder that has any: it could wait forever. */
  takeInTurn(holder: Holder, keys: readonly bigint[]): Promise<void> {
    const { promise, resolve: grant } = Promise.withResolvers<void>();
    this.#waiting.push({ holder, keys, grant });
    return promise;
  }

  /** Gives back all keys of a unit that is through, and passes them on to those that waited longest. */
  release(holder: Holder, keys: Iterable<bigint>): void {
    for (const key of keys) if (this.#holders.get(key) === holder) this.#holders.delete(key);
    this.#waiting = this.#waiting.filter((waiting) => {
      // one that leaves finds out when it goes on
      if (waiting.holder !== holder && !this.take(waiting.holder, waiting.keys)) return true;
      waiting.grant();
      return false;
    });
  }
}
