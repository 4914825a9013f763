import type { QueueKeeper } from './queue-store.ts';
import type { OnProblem, QueuedCall } from './queued-call.ts';
import type { ClientError } from './send.ts';
import { backoffMs, type Sender } from './sender.ts';

export interface QueueOptions {
  sender: Sender;
  keeper: QueueKeeper;
  timeoutMs: number;
  callsMax: number;
  onProblem: OnProblem;
}

export interface Queue {
  /** False when it is full: nothing that was taken is given up for a newer one. */
  add(call: QueuedCall): boolean;
  /** Sends what waits until the service fails again; returns how many are left, and stored where there is a store. */
  flush(): Promise<number>;
}

const FIRST_WAIT_MS = 1_000;
/** Longer than any outage that somebody works on. */
const CALL_AGE_MS_MAX = 3 * 24 * 3_600_000;

/** Keeps calls, at first in the order of their arrival, and sends them in the background at growing intervals. */
export function createQueue({ sender, keeper, timeoutMs, callsMax, onProblem }: QueueOptions): Queue {
  const calls: QueuedCall[] = [];
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let draining: Promise<void> | null = null;
  let isLoaded = false;

  const loading = keeper.load().then((stored) => {
    const isEmpty = calls.length === 0;
    calls.unshift(...stored.slice(0, callsMax));
    isLoaded = true;
    // what came meanwhile would be lost if what is stored had been written over before it was read
    if (!isEmpty) keeper.save(calls);
    schedule();
  });

  function schedule(): void {
    if (timer !== undefined || calls.length === 0) return;
    timer = setTimeout(flush, Math.max(sender.pausedMs(), backoffMs(failures, FIRST_WAIT_MS)));
    // a queue is no reason to keep a process alive; on edge runtimes a timer is a plain number
    timer.unref?.();
  }

  async function drain(): Promise<void> {
    await loading;
    clearTimeout(timer);
    timer = undefined;
    for (let left = calls.length; left > 0 && sender.pausedMs() === 0; left -= 1) {
      const [call] = calls;
      if (call === undefined || !(await sendFirst(call))) break;
    }
    schedule();
  }

  /** Returns whether it was answered. One that was not goes behind the others, so that it never blocks them. */
  async function sendFirst(call: QueuedCall): Promise<boolean> {
    const outcome = await sender.send(call.path, call.body, timeoutMs);
    calls.shift();
    if (outcome.kind === 'delayed') {
      failures += 1;
      if (Date.now() - call.queuedAt > CALL_AGE_MS_MAX) onProblem(outcome.error, call);
      else calls.push({ ...call, attempts: call.attempts + 1 });
    } else {
      failures = 0;
      if (outcome.kind === 'refused' && !isRecorded(outcome.error, call.attempts)) onProblem(outcome.error, call);
    }
    keeper.save(calls);
    return outcome.kind !== 'delayed';
  }

  async function flush(): Promise<number> {
    draining ??= drain().finally(() => {
      draining = null;
    });
    await draining;
    await keeper.settled();
    return calls.length;
  }

  return {
    add(call) {
      if (calls.length >= callsMax) return false;
      calls.push(call);
      if (isLoaded) keeper.save(calls);
      if (draining === null) schedule();
      return true;
    },
    flush,
  };
}

/** A refusal as a duplicate after an attempt whose answer was lost: that attempt was counted. */
export function isRecorded(error: ClientError, attemptsBefore: number): boolean {
  return error.code === 'DUPLICATE_INVOICE' && attemptsBefore > 0;
}
