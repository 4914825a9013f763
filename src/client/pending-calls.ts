import { endsWithin } from './ends-within.ts';
import { stopwatchMs } from './stopwatch.ts';

/** The calls that have not ended yet. */
export interface PendingCalls {
  /** Adds a call until it ends, and returns it. */
  add<Result>(call: Promise<Result>): Promise<Result>;
  /** Waits for the calls that are pending now, but for none that is overdue. */
  settled(): Promise<void>;
}

/** A call that has not ended this long after its limit never will: an edge runtime has ended its request. */
const GRACE_MS = 1_000;

/** @param limitMs the time in which each call ends */
export function createPendingCalls(limitMs: number): PendingCalls {
  const pending = new Map<Promise<void>, number>();

  async function wait(call: Promise<void>, until: number): Promise<void> {
    if (!(await endsWithin(call, until - stopwatchMs()))) pending.delete(call);
  }

  return {
    add(call) {
      const ended = call.then(remove, remove);
      function remove(): void {
        pending.delete(ended);
      }
      pending.set(ended, stopwatchMs() + limitMs + GRACE_MS);
      return call;
    },
    async settled() {
      await Promise.all([...pending].map(([call, until]) => wait(call, until)));
    },
  };
}
