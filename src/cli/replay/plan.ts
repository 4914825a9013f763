import { createChance } from '../random.ts';
import type { Payload } from './payload-files.ts';

/** A delivery to be sent. */
export interface Planned {
  /** Starting at 1, in the order of sending. */
  n: number;
  /** The repeat that it belongs to, starting at 1. */
  round: number;
  payload: Payload;
}

/** Every payload `repeat` times, round by round; with a seed, shuffled in an order that the seed determines. */
export function planDeliveries(payloads: readonly Payload[], repeat: number, seed: number | null): Planned[] {
  const rounds = Array.from({ length: repeat }, (_, index) => index + 1);
  const planned = rounds.flatMap((round) => payloads.map((payload) => ({ round, payload })));
  if (seed !== null) shuffle(planned, seed);
  return planned.map((delivery, index) => ({ n: index + 1, ...delivery }));
}

/** Fisher–Yates. */
function shuffle(items: unknown[], seed: number): void {
  const chance = createChance(seed);
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(chance.next() * (last + 1));
    [items[last], items[other]] = [items[other], items[last]];
  }
}
