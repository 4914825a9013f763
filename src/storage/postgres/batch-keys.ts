/** Keys that a unit waits for, until no other unit holds any of them. */
interface Waiting<Holder> {
  holder: Holder;
  keys: readonly bigint[];
  grant(): void;
}

/**
 * Tracks which unit of a batch holds which claim keys. The units share a transaction, in which the server's locks do
 * not keep them apart.
 */
export class BatchKeys<Holder> {
  readonly #holders = new Map<bigint, Holder>();
  #waiting: Waiting<Holder>[] = [];

  /** Takes all of the keys or none; false when another unit holds one. */
  take(holder: Holder, keys: readonly bigint[]): boolean {
    if (keys.some((key) => (this.#holders.get(key) ?? holder) !== holder)) return false;
    for (const key of keys) this.#holders.set(key, holder);
    return true;
  }

  /**
   * Settles when the holder has all of the keys, or when it is released while waiting. Never call it for a holder that
   * already has keys: it could wait forever.
   */
  takeInTurn(holder: Holder, keys: readonly bigint[]): Promise<void> {
    const { promise, resolve: grant } = Promise.withResolvers<void>();
    this.#waiting.push({ holder, keys, grant });
    return promise;
  }

  /** Releases all keys of a finished unit and passes them to the units that have waited longest. */
  release(holder: Holder, keys: Iterable<bigint>): void {
    for (const key of keys) if (this.#holders.get(key) === holder) this.#holders.delete(key);
    this.#waiting = this.#waiting.filter((waiting) => {
      // a unit that leaves notices when it continues
      if (waiting.holder !== holder && !this.take(waiting.holder, waiting.keys)) return true;
      waiting.grant();
      return false;
    });
  }
}
