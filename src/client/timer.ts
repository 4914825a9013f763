import { DELAY_MS_MAX } from './number-options.ts';

export type Timer = ReturnType<typeof setTimeout> | undefined;

/**
 * A timer that keeps no process alive. Undefined where the runtime allows none, as edge runtimes outside of a request: the
 * work then waits for the next call.
 */
export function startTimer(work: () => void, ms: number): Timer {
  try {
    const timer = setTimeout(work, Math.min(ms, DELAY_MS_MAX));
    // on edge runtimes it is a plain number
    timer.unref?.();
    return timer;
  } catch {
    return undefined;
  }
}
