/** Pseudo-random numbers, the same in every run. */
export interface Chance {
  /** From 0 up to, but not including, 1. */
  next(): number;
  pick<Item>(items: readonly Item[]): Item;
  /** A whole number whose mean is `mean`. */
  around(mean: number): number;
}

/** Mulberry32: small, and good enough for a plausible history and a shuffled order. */
export function createChance(seed: number): Chance {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error('There is nothing to pick from');
      return item;
    },
    around(mean) {
      const spread = mean * (0.6 + 0.8 * next());
      return Math.floor(spread) + (next() < spread % 1 ? 1 : 0);
    },
  };
}
