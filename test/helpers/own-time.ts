import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Between two looks the watching thread sleeps so long; it is not late before twice that and an fsync. */
export const PAUSE_MS = 10;
export const USUAL_MS = 40;

/** [0]: how long the machine stood still so far; [1]: when the watching thread last looked. Milliseconds. */
const seen = new Float64Array(new SharedArrayBuffer(16));
let watching: Promise<void> | undefined;

/**
 * Starts a stopwatch that stands still while the machine does: while neither a thread that only sleeps is woken, nor a
 * page of its own gets to the disk. What the tested code itself waits for or is busy with counts, also where it blocks
 * its event loop.
 *
 * @returns milliseconds since then
 */
export async function startOwnTime(): Promise<() => number> {
  watching ??= watch();
  await watching;
  const startedAt = monotonicMs() - standstillMs();
  return () => monotonicMs() - standstillMs() - startedAt;
}

/** The same clock on every thread. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function standstillMs(): number {
  const [counted = 0, lookedAt = 0] = seen;
  const silentMs = monotonicMs() - lookedAt;
  return counted + (silentMs > USUAL_MS ? silentMs - PAUSE_MS : 0);
}

async function watch(): Promise<void> {
  const worker = new Worker(new URL('own-time-thread.ts', import.meta.url), { workerData: seen });
  worker.unref();
  while (seen[1] === 0) await sleep(1);
}
