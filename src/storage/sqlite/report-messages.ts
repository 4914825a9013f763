import { NumberOutOfRange } from '../../errors.ts';
import { DatabaseFailure, type SqlParameters } from '../database.ts';
import type { WalState } from './connection.ts';

/** The data that a report thread starts with. */
export interface ReportThreadData {
  path: string;
  cacheKibibytes: number;
  /** The memory of the write lock, and the number of this thread in it. */
  lockMemory: SharedArrayBuffer;
  lockNumber: number;
  progressMemory: SharedArrayBuffer;
}

const RUNNING = 0;
/** More than there are queries at the thread, so that two of them rarely share a cell. */
const SKIPPED_CELLS = 64;

export function createProgressMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer((1 + SKIPPED_CELLS) * Int32Array.BYTES_PER_ELEMENT);
}

/** What both threads see at once, without a message: which query is running, and which ones need not run any more. */
export class Progress {
  readonly #cells: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory);
  }

  /** The number of the query that is running, 0 for none. */
  get running(): number {
    return Atomics.load(this.#cells, RUNNING);
  }

  set running(number: number) {
    Atomics.store(this.#cells, RUNNING, number);
  }

  skip(number: number): void {
    Atomics.store(this.#cells, 1 + (number % SKIPPED_CELLS), number);
  }

  isSkipped(number: number): boolean {
    return Atomics.load(this.#cells, 1 + (number % SKIPPED_CELLS)) === number;
  }
}

/** One query, with the number that its answer refers to. */
export interface NumberedQuery {
  number: number;
  method: 'get' | 'all';
  sql: string;
  parameters: SqlParameters;
}

/** To the thread: queries, which run one after the other; a checkpoint; or the end. */
export type ToReportThread = readonly NumberedQuery[] | 'checkpoint' | 'close';

/** From the thread: the answers of queries, or how a checkpoint ended. */
export type FromReportThread = readonly Answer[] | CheckpointEnd;

/** `hasBytes`: the copy turned buffers into `Uint8Array`. */
export type Answer = { number: number } & (
  | { result: unknown; hasBytes: boolean; error: null }
  | { result: null; error: CopiedQueryError }
);

export type CheckpointEnd = { wal: WalState; error: null } | { wal: null; error: CopiedQueryError };

/** An error as plain data, because a copy loses its class. */
export interface CopiedQueryError {
  /** Of a `DatabaseFailure`; null for all other errors. */
  retryable: boolean | null;
  /** A number that JavaScript cannot hold. */
  isOutOfRange: boolean;
  message: string;
  stack: string | undefined;
  cause: string | undefined;
}

export function copyQueryError(error: unknown): CopiedQueryError {
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  return {
    retryable: error instanceof DatabaseFailure ? error.retryable : null,
    isOutOfRange: error instanceof NumberOutOfRange,
    message,
    stack,
    cause: cause instanceof Error ? cause.message : undefined,
  };
}

/** Reverses `copyQueryError`, as far as retries and logs need it. */
export function queryErrorFrom({ retryable, isOutOfRange, message, stack, cause }: CopiedQueryError): Error {
  if (isOutOfRange) return new NumberOutOfRange();
  if (retryable === null) return Object.assign(new Error(message), { stack });
  return new DatabaseFailure(message, retryable, cause === undefined ? undefined : new Error(cause));
}

/** Whether a value of the row, or of one of the rows, is a buffer. */
export function containsBytes(result: unknown): boolean {
  if (Array.isArray(result)) return result.some(containsBytes);
  return typeof result === 'object' && result !== null && Object.values(result).some(Buffer.isBuffer);
}

/** Turns the byte arrays of a row or rows into buffers, in place. */
export function restoreBytes(result: unknown): void {
  if (Array.isArray(result)) {
    result.forEach(restoreBytes);
    return;
  }
  const row = result as Record<string, unknown>;
  for (const [column, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) row[column] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
}
