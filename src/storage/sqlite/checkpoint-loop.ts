import { setTimeout as sleep } from 'node:timers/promises';
import { CHECKPOINT_BYTES, type SqliteConnection } from './connection.ts';
import type { LogReadAhead } from './log-read-ahead.ts';
import type { ReportThread, ReportThreadOptions } from './report-thread.ts';
import type { CheckpointRequests } from './write-lock.ts';

/** How often a thread that writes constantly checks the size of the log. */
const LOOK_PAUSE_MS = 50;
/** After a checkpoint that could not finish, because a reader still uses the log or the disk fails. */
const AGAIN_PAUSE_MS = 500;

/**
 * Creates the function to call after each commit of a connection: requests a checkpoint when one is due, and has the log read
 * ahead of the next commits.
 */
export function createLogWatch(
  connection: Pick<SqliteConnection, 'logBytes'>,
  requests: Pick<CheckpointRequests, 'request'>,
  ahead: Pick<LogReadAhead, 'follow'>,
): () => void {
  let nextLookAt = 0;
  return () => {
    const now = performance.now();
    if (now < nextLookAt) return;
    nextLookAt = now + LOOK_PAUSE_MS;
    try {
      const { logBytes } = connection;
      if (logBytes >= CHECKPOINT_BYTES) requests.request();
      void ahead.follow(logBytes);
    } catch {
      // the commit succeeded, and the next one looks again
    }
  };
}

/** Has the report thread checkpoint whenever it is requested. */
export class CheckpointLoop {
  readonly #requests: CheckpointRequests;
  readonly #thread: ReportThread;
  readonly #onProblem: ReportThreadOptions['onProblem'];
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;

  constructor(requests: CheckpointRequests, thread: ReportThread, onProblem: ReportThreadOptions['onProblem']) {
    this.#requests = requests;
    this.#thread = thread;
    this.#onProblem = onProblem;
    this.#ended = this.#run();
  }

  /** Waits for a checkpoint in progress. */
  stop(): Promise<void> {
    this.#stopping.abort();
    // wakes up the loop
    this.#requests.request();
    return this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await this.#requests.wait();
      if (signal.aborted) return;
      const end = await this.#thread.checkpoint();
      if (end?.error) this.#onProblem('a checkpoint failed', { reason: end.error.message });
      if (!end?.wal?.isReset) await sleep(AGAIN_PAUSE_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) this.#requests.clear();
    }
  }
}
