import { unavailable } from '../../errors.ts';
import type { SqlParameters } from '../database.ts';
import { inSequence, type ReadSession } from '../read-transaction.ts';
import {
  type Answer,
  type CheckpointEnd,
  type NumberedQuery,
  queryErrorFrom,
  restoreBytes,
} from './report-messages.ts';
import { ReportWorker, type ReportWorkerEvents } from './report-worker.ts';
import { REPORT_THREADS, type WriteLock } from './write-lock.ts';

export interface ReportThreadOptions {
  path: string;
  cacheKibibytes: number;
  /** This thread's side of the lock. */
  writeLock: WriteLock;
  /** Called with what an operator should know. */
  onProblem(message: string, details: object): void;
}

/** The queries of one report, one at a time. */
export interface ReportQueries extends ReadSession {
  /** Rejects the query in flight and all later ones with `reason`. */
  stop(reason: Error): void;
}

interface PendingQuery extends NumberedQuery {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Queries sent to the thread: enough to keep it busy, few enough that the others can still be withdrawn at their
 * deadline.
 */
const SENT_MAX = 8;
const WAITING_MAX = 1_000;
/** Threads that were told to end but are still inside SQLite. */
const ENDING_MAX = 2;
const NUMBER_MAX = 0x7fff_ffff;

/**
 * Runs the queries of reports on another thread: those of one report in order, those of several reports in turn. The
 * thread starts with the first query or checkpoint. It is replaced when it dies, or when a query in it exceeds its
 * deadline, because SQLite cannot be interrupted; other queries then run again in the next thread.
 */
export class ReportThread {
  readonly #options: ReportThreadOptions;
  readonly #sent = new Map<number, PendingQuery>();
  #waiting: PendingQuery[] = [];
  #current: ReportWorker | undefined;
  readonly #ending = new Map<ReportWorker, Promise<void>>();
  #checkpoint: PromiseWithResolvers<CheckpointEnd | null> | undefined;
  #lastNumber = 0;
  #flushIsScheduled = false;

  constructor(options: ReportThreadOptions) {
    this.#options = options;
  }

  /** The queries of a new report. */
  createQueries(): ReportQueries {
    let inFlight: PendingQuery | undefined;
    let stopReason: Error | undefined;
    const start = (method: 'get' | 'all', sql: string, parameters: SqlParameters): Promise<unknown> => {
      if (stopReason) return Promise.reject(stopReason);
      const { promise, resolve, reject } = Promise.withResolvers();
      inFlight = { number: this.#nextNumber(), method, sql, parameters, resolve, reject };
      this.#add(inFlight);
      return promise.finally(() => {
        inFlight = undefined;
      });
    };
    const session = inSequence({
      get: (sql, parameters) => start('get', sql, parameters),
      all: (sql, parameters) => start('all', sql, parameters),
    });
    return {
      ...session,
      stop: (reason) => {
        stopReason ??= reason;
        if (inFlight) this.#withdraw(inFlight, stopReason);
      },
    };
  }

  /** Copies the write-ahead log into the file; null when no thread could do it. */
  checkpoint(): Promise<CheckpointEnd | null> {
    const worker = this.#worker();
    if (worker === null) return Promise.resolve(null);
    if (this.#checkpoint === undefined) {
      this.#checkpoint = Promise.withResolvers<CheckpointEnd | null>();
      worker.send('checkpoint');
    }
    return this.#checkpoint.promise;
  }

  /** Call it when no report is in flight. Waits for threads that are still inside SQLite, too. */
  async close(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    if (current) this.#ending.set(current, current.close());
    await Promise.all(this.#ending.values());
  }

  #nextNumber(): number {
    this.#lastNumber = (this.#lastNumber % NUMBER_MAX) + 1;
    return this.#lastNumber;
  }

  #add(query: PendingQuery): void {
    if (this.#waiting.length >= WAITING_MAX) {
      query.reject(unavailable('Too many reports are waiting'));
      return;
    }
    this.#waiting.push(query);
    this.#scheduleFlush();
  }

  /** Queries that start in one turn of the event loop share a message. */
  #scheduleFlush(): void {
    if (this.#flushIsScheduled) return;
    this.#flushIsScheduled = true;
    setImmediate(() => {
      this.#flushIsScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const queries = this.#waiting.splice(0, SENT_MAX - this.#sent.size);
    if (queries.length === 0) return;
    const worker = this.#worker();
    if (worker === null) {
      const error = unavailable('Slow reports are still being stopped');
      for (const { reject } of [...queries, ...this.#waiting.splice(0)]) reject(error);
      return;
    }
    try {
      worker.send(queries.map(({ number, method, sql, parameters }) => ({ number, method, sql, parameters })));
      for (const query of queries) this.#sent.set(query.number, query);
    } catch (error) {
      // copying fails only for a parameter that is not an SQL value; nothing was sent
      for (const { reject } of queries) reject(error);
    }
  }

  /** The thread, started if there is none; null while too many others are still ending. */
  #worker(): ReportWorker | null {
    if (this.#current) return this.#current;
    if (this.#ending.size >= ENDING_MAX) return null;
    const { path, cacheKibibytes, writeLock } = this.#options;
    const taken = [...this.#ending.keys()].map(({ lockNumber }) => lockNumber);
    const lockNumber = REPORT_THREADS.find((number) => !taken.includes(number)) as number;
    const worker: ReportWorker = new ReportWorker(
      { path, cacheKibibytes, lockMemory: writeLock.memory, lockNumber },
      {
        onMessage: (message) => {
          if (worker !== this.#current) return;
          if ('wal' in message) this.#endCheckpoint(message);
          else this.#settle(message);
        },
        onExit: (end) => this.#replace(worker, end),
      },
    );
    this.#current = worker;
    return worker;
  }

  #settle(answers: readonly Answer[]): void {
    for (const answer of answers) {
      const query = this.#sent.get(answer.number);
      if (query === undefined) continue;
      this.#sent.delete(answer.number);
      if (answer.error !== null) {
        query.reject(queryErrorFrom(answer.error));
        continue;
      }
      if (answer.hasBytes) restoreBytes(answer.result);
      query.resolve(answer.result);
    }
    if (this.#waiting.length > 0) this.#flush();
  }

  #endCheckpoint(end: CheckpointEnd | null): void {
    this.#checkpoint?.resolve(end);
    this.#checkpoint = undefined;
  }

  #withdraw(query: PendingQuery, reason: Error): void {
    query.reject(reason);
    this.#waiting = this.#waiting.filter((other) => other !== query);
    const worker = this.#current;
    if (worker === undefined || !this.#sent.delete(query.number)) return;
    worker.skip(query.number);
    const { running } = worker;
    // a running query cannot be stopped alone: its thread ends with it
    if (running === 0 || this.#sent.has(running)) return;
    this.#options.onProblem('a report was stopped at its deadline', { sql: query.sql });
    this.#ending.set(worker, worker.terminate());
    this.#leave(worker);
  }

  /** What was sent to this thread goes to the next one. */
  #leave(worker: ReportWorker): void {
    if (worker !== this.#current) return;
    this.#current = undefined;
    this.#waiting.unshift(...this.#sent.values());
    this.#sent.clear();
    this.#endCheckpoint(null);
    if (this.#waiting.length > 0) this.#scheduleFlush();
  }

  #replace(worker: ReportWorker, { running, error, code }: Parameters<ReportWorkerEvents['onExit']>[0]): void {
    this.#options.writeLock.releaseDead(worker.lockNumber);
    if (this.#ending.delete(worker)) return;
    this.#options.onProblem('the report thread ended', { err: error, code });
    // the query that ended it would end the next one as well, and so would whatever prevented its start
    const culprits = [...this.#sent.values()].filter(({ number }) => number === running || !worker.hasAnswered);
    for (const { number, reject } of culprits) {
      this.#sent.delete(number);
      reject(unavailable('The thread that runs reports ended', error));
    }
    this.#leave(worker);
  }
}
