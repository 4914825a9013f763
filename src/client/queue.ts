import { createPatience } from './patience.ts';
import type { QueueKeeper } from './queue-store.ts';
import type { OnProblem, QueuedCall } from './queued-call.ts';
import { callsThatFollow } from './related-calls.ts';
import { createRuns, type Run } from './runs.ts';
import type { ClientError } from './send.ts';
import { backoffMs, type Sender } from './sender.ts';
import { startTimer, type Timer } from './timer.ts';

export interface QueueOptions {
  sender: Sender;
  keeper: QueueKeeper;
  timeoutMs: number;
  callsMax: number;
  onProblem: OnProblem;
}

export interface Queue {
  /** False when the queue is full: it never evicts a call for a newer one. */
  add(call: QueuedCall): boolean;
  /** Sends each queued call once, until the service fails again; returns how many are left once they are persisted. */
  flush(): Promise<number>;
  /**
   * True while a call may be queued that `call` must not overtake. Waits for the stored calls, for at most `timeoutMs`; a
   * call that waited in vain is held up, and later ones no longer wait.
   */
  holdsUp(call: QueuedCall): Promise<boolean>;
}

const OVER_LIMIT = {
  code: 'QUEUE_FULL',
  message: 'The store holds more calls than queueLimit, and this one was dropped: raise queueLimit',
  status: null,
};
const FIRST_RETRY_MS = 1_000;
/** Nobody waits for a queued call: a limit that is shorter than the way to the service must not keep it from arriving. */
const SEND_MS_MIN = 2_000;
/** Longer than any outage that somebody is working on. */
const CALL_MAX_AGE_MS = 3 * 24 * 3_600_000;

/** Queues calls, initially in order of arrival, and sends them in the background with backoff. */
export function createQueue({ sender, keeper, timeoutMs, callsMax, onProblem }: QueueOptions): Queue {
  const calls: QueuedCall[] = [];
  let failures = 0;
  let isMisconfigured = false;
  let timer: Timer;

  const load = () => keeper.load(restore, flush);
  const hasWaitedInVain = createPatience(load(), timeoutMs);

  function restore(stored: readonly QueuedCall[]): void {
    const isEmpty = calls.length === 0;
    calls.unshift(...stored.slice(0, callsMax));
    for (const call of stored.slice(callsMax)) onProblem(OVER_LIMIT, call);
    if (!isEmpty) keeper.save(calls);
    schedule();
  }

  function schedule(): void {
    if (calls.length > 0) timer ??= startTimer(flush, Math.max(sender.pausedMs(), backoffMs(failures, FIRST_RETRY_MS)));
  }

  const drains = createRuns(drain, (call: QueuedCall) => calls.splice(calls.indexOf(call), 1, tried(call)));

  async function drain(run: Run<QueuedCall>): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    for (let left = calls.length; left > 0 && sender.pausedMs() === 0; left -= 1) {
      if (calls[0] === undefined || !(await sendFirst(calls[0], run))) break;
    }
    run.end();
    schedule();
  }

  /**
   * Returns whether the call was answered. If not, it moves to the end of the queue with the calls that must follow it, so that
   * it never blocks the others.
   */
  async function sendFirst(call: QueuedCall, run: Run<QueuedCall>): Promise<boolean> {
    const limitMs = Math.max(timeoutMs, SEND_MS_MIN);
    const isInOrder = keeper.isLoaded() || !mayFollowStored(call);
    const result = await run.step(call, limitMs, () => sender.send(call.path, call.body, limitMs));
    if (result === null) return false;
    // not always the first any more, when the stored calls have been read meanwhile
    calls.splice(calls.indexOf(call), 1);
    const isFinal = result.kind === 'answered' || (result.kind === 'refused' && isInOrder);
    if (isFinal) {
      failures = 0;
      isMisconfigured = false;
      if (result.kind === 'refused' && !isRecorded(result.error, call.attempts)) onProblem(result.error, call);
    } else {
      failures += 1;
      if (Date.now() - call.queuedAt > CALL_MAX_AGE_MS) onProblem(result.error, call);
      else appendWithFollowers(calls, result.kind === 'delayed' ? tried(call) : call);
    }
    if (result.kind === 'misconfigured' && !isMisconfigured) {
      // once, not at each attempt, because nothing is dropped
      onProblem(result.error, null);
      isMisconfigured = true;
    }
    keeper.save(calls);
    return isFinal;
  }

  async function flush(): Promise<number> {
    await load();
    // where an earlier flush has to be given up, this one sends
    if (!(await drains.join())) await drains.join();
    await keeper.settled();
    return calls.length;
  }

  return {
    add(call) {
      if (calls.length >= callsMax) return false;
      calls.push(call);
      keeper.save(calls);
      if (drains.isIdle()) schedule();
      return true;
    },
    flush,
    async holdsUp(call) {
      if (!canBeEarly(call)) return false;
      // the load that the client waits for may have been cut off, and another one been faster
      return (!keeper.isLoaded() && (await hasWaitedInVain())) || mustFollow(call, calls, keeper.isLoaded());
    },
  };
}

/** A sale without a click cannot: the service parks it until the lead of its customer arrives. */
function canBeEarly({ path }: QueuedCall): boolean {
  return path !== '/api/sales';
}

/** The sale of a refund may be among the stored calls. */
function mayFollowStored({ path }: QueuedCall): boolean {
  return path === '/api/refunds';
}

function mustFollow(call: QueuedCall, calls: readonly QueuedCall[], isLoaded: boolean): boolean {
  if (!isLoaded && mayFollowStored(call)) return true;
  return calls.some((queued) => callsThatFollow(queued, [call]).length > 0);
}

/** After an attempt that may have been counted. */
function tried(call: QueuedCall): QueuedCall {
  return { ...call, attempts: call.attempts + 1 };
}

/** Adds a call at the end, and moves the calls that must follow it behind it. */
function appendWithFollowers(calls: QueuedCall[], call: QueuedCall): void {
  const followers = new Set(callsThatFollow(call, calls));
  const others = calls.filter((other) => !followers.has(other));
  calls.splice(0, calls.length, ...others, call, ...followers);
}

/** True for a duplicate after an attempt whose answer was lost: that attempt was counted. */
export function isRecorded(error: ClientError, attemptsBefore: number): boolean {
  return error.code === 'DUPLICATE_INVOICE' && attemptsBefore > 0;
}
