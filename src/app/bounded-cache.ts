import type { Clock } from '../clock.ts';

interface BoundedCacheOptions {
  /** A full cache evicts its least recently used entry. */
  entriesMax: number;
  /** Entries expire at this age; never when absent. */
  maxAgeMs?: number;
  clock: Clock;
}

interface Entry<Value> {
  value: Value;
  storedAt: number;
}

/** A map in memory that cannot grow without bound: it evicts the least recently used entry, and ignores expired ones. */
export class BoundedCache<Key, Value extends NonNullable<unknown>> {
  readonly #entriesMax: number;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  /** In order of use: the first is the least recently used. */
  readonly #entries = new Map<Key, Entry<Value>>();
  #invalidationCount = 0;

  constructor({ entriesMax, maxAgeMs = Number.POSITIVE_INFINITY, clock }: BoundedCacheOptions) {
    this.#entriesMax = entriesMax;
    this.#maxAgeMs = maxAgeMs;
    this.#clock = clock;
  }

  /**
   * The cached value; undefined when there is none or it has expired.
   *
   * @param maxAgeMs a stricter limit than the cache's own, for this lookup
   */
  get(key: Key, maxAgeMs = this.#maxAgeMs): Value | undefined {
    const entry = this.#entries.get(key);
    // a clock that was set back must not extend an entry's life
    if (entry === undefined || Math.abs(this.#clock() - entry.storedAt) >= maxAgeMs) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Caches a value as of `storedAt`, now by default. */
  set(key: Key, value: Value, storedAt = this.#clock()): void {
    this.#entries.delete(key);
    const [leastRecentlyUsed] = this.#entries.keys();
    if (this.#entries.size >= this.#entriesMax && leastRecentlyUsed !== undefined) {
      this.#entries.delete(leastRecentlyUsed);
    }
    this.#entries.set(key, { value, storedAt });
  }

  /**
   * Reads a value and caches it as of the start of the read; undefined removes the cached value. A value that was
   * read while any entry was invalidated may be stale, so it is returned but not cached.
   *
   * @throws whatever `read` throws; the cache is unchanged then
   */
  async load(key: Key, read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const startedAt = this.#clock();
    const countBefore = this.#invalidationCount;
    const value = await read();
    this.#entries.delete(key);
    if (value !== undefined && this.#invalidationCount === countBefore) this.set(key, value, startedAt);
    return value;
  }

  /** Call it after the source of an entry changed. */
  invalidate(key: Key): void {
    this.#invalidationCount += 1;
    this.#entries.delete(key);
  }
}
