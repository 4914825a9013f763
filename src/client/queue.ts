import type { ClientError } from './send.ts';
import { backoffMs, type Sender } from './sender.ts';

/** A lead or sale that could not be sent yet. Holds what was reported, the customer's address included. */
export interface QueuedCall {
  path: '/api/track/lead' | '/api/track/sale';
  /** The JSON text that is sent. */
  body: string;
  /** How often it was sent without an answer that stands. */
  attempts: number;
  /** Epoch milliseconds. */
  queuedAt: number;
}

/** Where the queue outlives the process. One store belongs to one process. */
export interface QueueStore {
  /** Asked once, at the start. */
  load(): readonly QueuedCall[] | Promise<readonly QueuedCall[]>;
  /** The whole queue, after each change; never called again before it settled. */
  save(calls: readonly QueuedCall[]): void | Promise<void>;
}

/** Told of what nobody awaits: a queued call that was given up, a store that failed. */
export type OnProblem = (error: ClientError, call: QueuedCall | null) => void;

export interface QueueOptions {
  sender: Sender;
  timeoutMs: number;
  callsMax: number;
  store: QueueStore | null;
  onProblem: OnProblem;
}

export interface Queue {
  /** False when it is full: nothing that was taken is given up for it. */
  add(call: QueuedCall): boolean;
  /** Sends what waits, one after the other, until the service fails again; returns how many are left. */
  flush(): Promise<number>;
}

const FIRST_WAIT_MS = 1_000;
/** Longer than any outage that somebody works on. */
const CALL_AGE_MS_MAX = 3 * 24 * 3_600_000;

/** Keeps calls in the order of their arrival and sends them in the background, at growing intervals. Never throws. */
export function createQueue({ sender, timeoutMs, callsMax, store, onProblem }: QueueOptions): Queue {
  const calls: QueuedCall[] = [];
  const saver = createSaver(store, calls, onProblem);
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let draining: Promise<void> | null = null;

  const loaded = loadCalls(store, onProblem).then((stored) => {
    calls.unshift(...stored.slice(0, callsMax));
    saver.open();
    schedule();
  });

  function schedule(): void {
    if (timer !== undefined || calls.length === 0) return;
    timer = setTimeout(flush, Math.max(sender.pausedMs(), backoffMs(failures, FIRST_WAIT_MS)));
    // a queue is no reason to keep a process; edge runtimes have plain numbers here
    timer.unref?.();
  }

  async function drain(): Promise<void> {
    await loaded;
    clearTimeout(timer);
    timer = undefined;
    // the first is taken off after its answer and put behind the others when it must wait: none blocks the rest
    for (let left = calls.length; left > 0 && sender.pausedMs() === 0; left -= 1) {
      const call = calls[0];
      if (call === undefined || !(await isSettled(call))) break;
      failures = 0;
    }
    schedule();
  }

  async function isSettled(call: QueuedCall): Promise<boolean> {
    const outcome = await sender.send(call.path, call.body, timeoutMs);
    calls.shift();
    const isTooOld = Date.now() - call.queuedAt > CALL_AGE_MS_MAX;
    const isDelayed = outcome.kind === 'delayed';
    if (isDelayed && !isTooOld) calls.push({ ...call, attempts: call.attempts + 1 });
    if (isDelayed) failures += 1;
    const isFailed = (isDelayed && isTooOld) || (outcome.kind === 'refused' && !isRecorded(outcome.error, call.attempts));
    if (isFailed) onProblem(outcome.error, call);
    saver.save();
    return !isDelayed;
  }

  async function flush(): Promise<number> {
    draining ??= drain().finally(() => {
      draining = null;
    });
    await draining;
    await saver.settled();
    return calls.length;
  }

  return {
    add(call) {
      if (calls.length >= callsMax) return false;
      calls.push(call);
      saver.save();
      if (draining === null) schedule();
      return true;
    },
    flush,
  };
}

/** A refusal as a duplicate, after an attempt whose answer was lost: that attempt was counted. */
export function isRecorded(error: ClientError, attemptsBefore: number): boolean {
  return error.code === 'DUPLICATE_INVOICE' && attemptsBefore > 0;
}
