import { Worker } from 'node:worker_threads';
import { threadSource } from '../thread-source.ts';
import type { AuditFindings, AuditTask, OnAudit } from './audits.ts';

export interface AuditThreadData {
  databaseUrl: string;
}

export type ToAuditThread = AuditTask | 'close';
export type FromAuditThread = { progress: Parameters<OnAudit>[0] } | { findings: AuditFindings };

/** Rows live no longer than their page; sums of a large account live until all rows are read. */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 512 };

/** A thread that runs audits of a SQLite file, one at a time. */
export class AuditThread {
  readonly #worker: Worker;
  readonly #ended = Promise.withResolvers<never>();
  #onMessage: (message: FromAuditThread) => void = () => {};

  constructor(databaseUrl: string) {
    this.#worker = new Worker(threadSource('entry', import.meta.url), {
      eval: true,
      name: 'audits',
      workerData: { databaseUrl } satisfies AuditThreadData,
      resourceLimits: HEAP_LIMITS,
    });
    // `run` passes the failure on; without one, nobody is waiting
    this.#ended.promise.catch(() => {});
    this.#worker.on('message', (message: FromAuditThread) => this.#onMessage(message));
    this.#worker.on('error', this.#ended.reject);
    this.#worker.on('exit', (code) => this.#ended.reject(new Error(`The thread of an audit ended with code ${code}`)));
  }

  /** @throws Error the reason why the audit or its thread ended */
  run(task: AuditTask, onProgress?: OnAudit): Promise<AuditFindings> {
    const { promise, resolve } = Promise.withResolvers<AuditFindings>();
    this.#onMessage = (message) => {
      if ('findings' in message) resolve(message.findings);
      else onProgress?.(message.progress);
    };
    this.#worker.postMessage(task satisfies ToAuditThread);
    return Promise.race([promise, this.#ended.promise]);
  }

  /** Ends the thread once its current audit has finished. */
  close(): void {
    this.#worker.postMessage('close' satisfies ToAuditThread);
  }
}
