import { stopwatchMs } from './stopwatch.ts';

/** A run of some work: step by step, each about a subject. */
export interface Run<Subject> {
  /** Takes a step that ends within this time; null if the run was given up meanwhile. */
  step<Result>(subject: Subject, limitMs: number, work: () => Promise<Result>): Promise<Result | null>;
}

export interface Runs {
  /** Joins the run under way, or starts one. */
  join(): Promise<void>;
  isIdle(): boolean;
}

/** A step that has not ended this long after its limit never will. */
const GRACE_MS = 1_000;

/**
 * Runs work once at a time. Edge runtimes end what a request has started together with that request, so that a step may
 * never settle: whoever has joined its run then gives it up, which `onGivenUp` hears of, and starts the next one.
 */
export function createRuns<Subject>(
  work: (run: Run<Subject>) => Promise<void>,
  onGivenUp: (subject: Subject) => void,
): Runs {
  interface Current {
    done: Promise<void>;
    step: { subject: Subject; until: number } | null;
  }
  let current: Current | null = null;

  function start(): Current {
    const own: Current = { done: Promise.resolve(), step: null };
    current = own;
    const run: Run<Subject> = {
      async step(subject, limitMs, take) {
        own.step = { subject, until: stopwatchMs() + limitMs + GRACE_MS };
        const result = await take();
        own.step = null;
        return current === own ? result : null;
      },
    };
    own.done = work(run).finally(() => {
      if (current === own) current = null;
    });
    return own;
  }

  function join(): Promise<void> {
    return current === null ? start().done : endOf(current);
  }

  /** Waits with timers of the caller, because those of the run may have ended together with its step. */
  async function endOf(joined: Current): Promise<void> {
    const ended = joined.done.then(() => true);
    for (;;) {
      const { step } = joined;
      const leftMs = step === null ? GRACE_MS : step.until - stopwatchMs();
      if (step !== null && leftMs < 0) {
        giveUp(joined, step.subject);
        return join();
      }
      if (await Promise.race([ended, falseAfter(leftMs + 1)])) return;
    }
  }

  function giveUp(overdue: Current, subject: Subject): void {
    // another caller may have been faster
    if (current !== overdue) return;
    onGivenUp(subject);
    current = null;
  }

  return { join, isIdle: () => current === null };
}

function falseAfter(ms: number): Promise<false> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    // it must not keep a process alive; on edge runtimes a timer is a plain number
    timer.unref?.();
  });
}
