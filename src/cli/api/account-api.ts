import type { OnProgress } from '../../app/on-progress.ts';
import type { Operations } from '../../client/api-types.ts';

export type OperationId = keyof Operations;

export type AnswerOf<Id extends OperationId> = Operations[Id]['answer'];

/** What a call sends; undefined members are omitted. */
export interface CallInput {
  parameters?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON; bytes are sent unchanged. */
  body?: unknown;
  /** Only the API of a local database reports progress. */
  onProgress?: OnProgress;
}

/** Work that a server does in the background after a change. */
export type LaterWork = 'settle' | 'erase' | 'erase-from-events' | 'reconcile' | 'transfers';

/**
 * The management API of one account: over HTTP, or of a local database. A command is written once, for both.
 *
 * Its methods throw `ServiceError` with the code of the API, and `CommandError` when there is no answer.
 */
export interface AccountApi {
  /** The version of the program that answers. */
  version(): Promise<string>;
  call<Id extends OperationId>(operationId: Id, input?: CallInput): Promise<AnswerOf<Id>>;
  /** The file that an operation returns, in chunks. */
  download(operationId: OperationId, input: CallInput): AsyncIterable<string | Uint8Array>;
  /**
   * Finishes work that is left after a change, for when no server is running; returns how many rows it changed, or
   * transfers it saw to. Null over HTTP, because a server does that work itself.
   */
  finish(work: LaterWork): Promise<number | null>;
}
