import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { ownProcessorWaitMs } from './processor-waits.ts';

/** How long the watching thread sleeps between two checks. */
export const PAUSE_MS = 10;
/** A check that takes longer than this, and longer than four average checks on this disk, is late. */
export const LATE_MS = 40;

/**
 * The watching thread's report, in milliseconds: how long the machine stalled, when the last check was, and the limit
 * for a late one.
 */
const seen = new Float64Array(new SharedArrayBuffer(24));
let watching: Promise<void> | undefined;

/**
 * Starts a stopwatch that pauses while the machine stalls (a sleeping thread is not woken, or its write does not reach
 * the disk), and while this thread waits for a processor. All waiting and computing of the tested code counts, even when
 * it blocks its event loop. Its own disk writes count only in part, so this does not suit tests of how long heavy writing
 * delays others.
 *
 * @returns milliseconds since then, without the longest of these: the stalls, this thread's waits for a processor, and
 * those of a child process that is measured
 */
export async function startOwnTime(): Promise<(processorWaitMs?: number) => number> {
  watching ??= watch();
  await watching;
  const startedAt = monotonicMs();
  const stoodStillMs = standstillMs();
  const waitedMs = ownProcessorWaitMs();
  return (processorWaitMs = 0) => {
    const notOwnMs = Math.max(standstillMs() - stoodStillMs, ownProcessorWaitMs() - waitedMs, processorWaitMs);
    return monotonicMs() - startedAt - notOwnMs;
  };
}

/** A clock that is the same on every thread. */
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
