/** When requests are sent, and about which account. */

/** The shares of a network's requests in a day, in percent. */
export const SHARES = {
  click: 44,
  lead: 12,
  webhook: 16,
  sale: 8,
  refund: 2,
  retry: 6,
  portal: 7,
  list: 5,
} as const;
export type PlannedKind = keyof typeof SHARES;

const TOTAL = Object.values(SHARES).reduce((sum, share) => sum + share, 0);
/** The steepness of Zipf's law: the largest of 10,000 accounts has a tenth of everything. */
const EXPONENT = 1;
/** The lowest rate, at night, and the highest, at noon, relative to the mean. */
const LEAST = 0.4;
const MOST = 1.6;
/** A newsletter or a launch: this many times the rate, for one second in every twenty. */
const BURST = 4;
const BURST_EVERY_S = 20;

/** How many requests per second are due at this share of the day. */
export function rateAt(mean: number, share: number, second: number): number {
  const curve = LEAST + ((MOST - LEAST) * (1 - Math.cos(2 * Math.PI * share))) / 2;
  return mean * curve * (Math.floor(second) % BURST_EVERY_S === BURST_EVERY_S - 1 ? BURST : 1);
}

export function pickKind(random = Math.random()): PlannedKind {
  let left = random * TOTAL;
  for (const [kind, share] of Object.entries(SHARES)) {
    left -= share;
    if (left < 0) return kind as PlannedKind;
  }
  return 'click';
}

/** Picks the number of one of `count` accounts; number 0 most often. */
export function zipf(count: number): (random?: number) => number {
  let sum = 0;
  const upTo = Float64Array.from({ length: count }, (_, n) => {
    sum += 1 / (n + 1) ** EXPONENT;
    return sum;
  });
  return (random = Math.random()) => {
    const wanted = random * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
