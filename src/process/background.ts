import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

/** A task that the server repeats; runs of one job never overlap. */
export interface Job {
  name: string;
  /** From the end of one run to the start of the next. */
  pauseMs: number;
  run(): Promise<unknown>;
}

export interface Background {
  /** Starts no new run and waits for those in progress. */
  stop(): Promise<void>;
}

/** Runs every job until stopped. A failed run is logged, and the job runs again after its pause. */
export function startBackground(jobs: readonly Job[], log: Logger): Background {
  const stopping = new AbortController();
  const loops = jobs.map((job) => repeat(job, log, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function repeat({ name, pauseMs, run }: Job, log: Logger, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    try {
      await run();
    } catch (error) {
      log.warn({ job: name, err: error }, 'a background job failed');
    }
    // rejects when `stopping` aborts
    await pause(pauseMs, undefined, { signal: stopping }).catch(() => {});
  }
}
