/** What is held until a time that is farther ahead than a right clock would set it. */
export interface FarLease<Id> {
  id: Id;
  /** Epoch milliseconds. */
  heldUntil: number;
}

/**
 * Recognizes what nobody holds any more, although it is held until a time far ahead: somebody's clock was ahead for a
 * moment. The time alone proves nothing, because the clock of a living holder, or this process's own, may be wrong. But a
 * living holder renews what it holds, so whatever has stayed the same for the duration of a lease, by a stopwatch, is
 * abandoned.
 */
export class AbandonedLeases<Id> {
  readonly #leaseMs: number;
  readonly #stopwatch: () => number;
  #seen = new Map<Id, { heldUntil: number; since: number }>();

  constructor(leaseMs: number, stopwatch = () => performance.now()) {
    this.#leaseMs = leaseMs;
    this.#stopwatch = stopwatch;
  }

  /** The ids of those that are abandoned, of all far leases that there are now. */
  find(leases: readonly FarLease<Id>[]): Set<Id> {
    const now = this.#stopwatch();
    const before = this.#seen;
    this.#seen = new Map(
      leases.map(({ id, heldUntil }) => {
        const known = before.get(id);
        return [id, { heldUntil, since: known?.heldUntil === heldUntil ? known.since : now }];
      }),
    );
    const abandoned = [...this.#seen].filter(([, { since }]) => now - since >= this.#leaseMs);
    return new Set(abandoned.map(([id]) => id));
  }
}
