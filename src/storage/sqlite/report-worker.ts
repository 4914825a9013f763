import { Worker } from 'node:worker_threads';
import { threadSource } from '../../thread-source.ts';
import {
  createProgressMemory,
  type FromReportThread,
  type NumberedQuery,
  Progress,
  type ReportThreadData,
  type ToReportThread,
} from './report-messages.ts';

export interface ReportWorkerEvents {
  onMessage(message: FromReportThread): void;
  /** The thread ended; `running` is the number of the query that it was running, 0 for none. */
  onExit(end: { running: number; error: Error | undefined; code: number }): void;
}

/** Rows are short-lived, and a page of a list has few; what exceeds this is a bug and ends only this thread. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 3, maxOldGenerationSizeMb: 96 };

/** One report thread, from its start to its end. */
export class ReportWorker {
  readonly lockNumber: number;
  readonly #worker: Worker;
  readonly #progress: Progress;
  readonly #ended = Promise.withResolvers<void>();
  #hasAnswered = false;

  constructor(data: Omit<ReportThreadData, 'progressMemory'>, { onMessage, onExit }: ReportWorkerEvents) {
    const progressMemory = createProgressMemory();
    this.lockNumber = data.lockNumber;
    this.#progress = new Progress(progressMemory);
    this.#worker = new Worker(threadSource('report-entry', import.meta.url), {
      eval: true,
      name: 'reports',
      workerData: { ...data, progressMemory } satisfies ReportThreadData,
      resourceLimits: HEAP_LIMITS,
    });
    let error: Error | undefined;
    this.#worker.on('message', (message: FromReportThread) => {
      this.#hasAnswered = true;
      onMessage(message);
    });
    this.#worker.on('error', (thrown) => {
      error = thrown instanceof Error ? thrown : new Error(String(thrown));
    });
    this.#worker.on('exit', (code) => {
      onExit({ running: this.running, error, code });
      this.#ended.resolve();
    });
  }

  /** The number of the query that is running, 0 for none. */
  get running(): number {
    return this.#progress.running;
  }

  /** Skips the query if it has not begun. */
  skip(number: number): void {
    this.#progress.skip(number);
  }

  /** False for a thread that could not even start. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** @throws DataCloneError when a parameter cannot be copied; nothing was sent then */
  send(message: readonly NumberedQuery[] | 'checkpoint'): void {
    this.#worker.postMessage(message satisfies ToReportThread);
  }

  /** Ends the thread as soon as its query returns to JavaScript, which is with the next row. */
  terminate(): Promise<void> {
    void this.#worker.terminate();
    return this.#ended.promise;
  }

  /** Ends the thread after it has handled what was sent to it. */
  close(): Promise<void> {
    this.#worker.postMessage('close' satisfies ToReportThread);
    return this.#ended.promise;
  }
}
