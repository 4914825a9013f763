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
 * never settle: its run is then given up, which `onGivenUp` hears of, and the next one starts anew.
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

  return {
    join() {
      const step = current?.step ?? null;
      if (step !== null && stopwatchMs() > step.until) {
        onGivenUp(step.subject);
        current = null;
      }
      return (current ?? start()).done;
    },
    isIdle: () => current === null,
  };
}
