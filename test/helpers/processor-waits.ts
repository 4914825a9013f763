import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

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
  return scheduledMs(`/proc/${pid}/schedstat`)?.waited ?? null;
}

/** How long the calling thread has been ready while other threads used all processors; 0 where the system does not say. */
export function ownProcessorWaitMs(): number {
  return scheduledMs('/proc/thread-self/schedstat')?.waited ?? 0;
}

/**
 * For how long the other threads of a running process could have kept its main thread from every processor; 0 where the
 * system does not say.
 */
export function ownThreadsMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  try {
    const others = readdirSync(folder).filter((id) => id !== String(pid));
    const ran = others.map((id) => scheduledMs(`${folder}/${id}/schedstat`)?.ran ?? 0);
    return ran.reduce((sum, ms) => sum + ms, 0) / availableParallelism();
  } catch {
    return 0;
  }
}

/** Whether the main thread of a process computes, or would if it had a processor; false where the system does not say. */
export function isRunnable(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.startsWith(' R', stat.lastIndexOf(')') + 1);
  } catch {
    return false;
  }
}

function scheduledMs(path: string): { ran: number; waited: number } | null {
  try {
    const [ran, waited] = readFileSync(path, 'utf8').split(' ');
    return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 };
  } catch {
    return null;
  }
}
