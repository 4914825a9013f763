import { endsWithin } from './ends-within.ts';
import { stopwatchMs } from './stopwatch.ts';

/** A run of some work: step by step, each about a subject. */
export interface Run<Subject> {
  /** Takes a step that ends within this time; null if the run was given up meanwhile. */
  step<Result>(subject: Subject, limitMs: number, work: () => Promise<Result>): Promise<Result | null>;
  /** Ends the run in the instant that it finds nothing left to do, so that whatever comes next starts another one. */
  end(): void;
}

export interface Runs {
  /** Joins the run under way, or starts one. Returns true when that has ended, false when it was given up. */
  join(): Promise<boolean>;
  /** Starts a run unless one is under way. */
  start(): void;
  isIdle(): boolean;
}

/** A step that has not ended this long after its limit never will. */
const GRACE_MS = 1_000;

/**
 * Runs work once at a time. Edge runtimes end what a request has started together with that request, so that a step may
 * never settle: whoever waits for its run then gives it up, which `onGivenUp` hears of. The work never rejects, and waits
 * only for its steps.
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
      end() {
        if (current === own) current = null;
      },
    };
    own.done = work(run).finally(run.end);
    return own;
  }

  /** Waits with timers of the caller, because those of the run may have ended together with its step. */
  async function join(): Promise<boolean> {
    const joined = current ?? start();
    for (;;) {
      const { step } = joined;
      const leftMs = step === null ? GRACE_MS : step.until - stopwatchMs();
      if (step !== null && leftMs < 0) {
        giveUp(joined, step.subject);
        return false;
      }
      if (await endsWithin(joined.done, leftMs + 1)) return true;
    }
  }

  function giveUp(overdue: Current, subject: Subject): void {
    // another caller may have been faster
    if (current !== overdue) return;
    onGivenUp(subject);
    current = null;
  }

  return { join, start: () => void (current ?? start()), isIdle: () => current === null };
}
