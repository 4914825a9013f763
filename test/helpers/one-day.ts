import { setTimeout as sleep } from 'node:timers/promises';

const DAY_MS = 86_400_000;

/** Waits for the next day, in UTC, if this one ends within a minute: what is stored at once from then on is of one day. */
export async function beginWithinADay(minLeftMs = 60_000): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < minLeftMs) await sleep(leftMs);
}
