import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Between two looks the watching thread sleeps so long. */
export const PAUSE_MS = 10;
/** A look that takes longer than this, and than four usual ones of this disk, is late. */
export const LATE_MS = 40;

/** What the watching thread tells, in milliseconds: how long the machine stood still, when it last looked, what is late. */
const seen = new Float64Array(new SharedArrayBuffer(24));
let watching: Promise<void> | undefined;

/**
 * Starts a stopwatch that stands still while the machine does: while a thread that only sleeps is not woken, or a page
 * that it writes does not get to the disk. What the tested code waits for or computes counts, also where it blocks its
 * event loop. What it writes itself counts only in part: nothing for a test of how long much writing holds up others.
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
  const [counted = 0, lookedAt = 0, lateMs = 0] = seen;
  const silentMs = monotonicMs() - lookedAt;
  return counted + (silentMs > lateMs ? silentMs - PAUSE_MS : 0);
}

async function watch(): Promise<void> {
  const worker = new Worker(new URL('own-time-thread.ts', import.meta.url), { workerData: seen });
  worker.unref();
  while (seen[2] === 0) await sleep(1);
}
