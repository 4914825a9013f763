import { readFileSync } from 'node:fs';

const LOOK_MS = 20;

/**
 * Follows how long the main thread of a process has been ready while other threads used all processors, until it ends.
 *
 * @returns milliseconds since the start of the process; 0 where the system does not say
 */
export function followProcessorWaits(pid: number): () => number {
  let waitedMs = 0;
  const look = () => {
    const ms = processorWaitMs(pid);
    if (ms === null) clearInterval(looking);
    else waitedMs = ms;
    return waitedMs;
  };
  const looking = setInterval(look, LOOK_MS).unref();
  return look;
}

/** The same of a process that is running, without following it; null where the system does not say. */
export function processorWaitMs(pid: number): number | null {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return null;
  }
}
