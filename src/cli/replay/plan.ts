import type { Payload } from './payload-files.ts';

/** One delivery that is to be made. */
export interface Planned {
  /** From 1 on, in the order of sending. */
  n: number;
  /** From 1 on: which repeat it belongs to. */
  round: number;
  payload: Payload;
}

/** Every payload `repeat` times, one round after the other; with a seed in an order that the same seed gives again. */
export function planDeliveries(payloads: readonly Payload[], repeat: number, seed: number | null): Planned[] {
  const rounds = Array.from({ length: repeat }, (_, index) => index + 1);
  const planned = rounds.flatMap((round) => payloads.map((payload) => ({ round, payload })));
  if (seed !== null) shuffle(planned, seed);
  return planned.map((delivery, index) => ({ n: index + 1, ...delivery }));
}

/** Fisher–Yates on mulberry32. */
function shuffle(items: unknown[], seed: number): void {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [items[last], items[other]] = [items[other], items[last]];
  }
}
