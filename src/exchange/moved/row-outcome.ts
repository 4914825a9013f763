import { setTimeout as sleep } from 'node:timers/promises';
import { isTemporary, ServiceError } from '../../errors.ts';
import { type Tried, withRetries } from '../retries.ts';
import type { Applied } from './target.ts';

/**
 * The result of a row, or why it was refused. While the database fails, the row is tried again, because the whole import
 * would have to begin again: a row that an unknown commit has stored is then unchanged.
 *
 * @throws errors that are not the row's fault; the signal's reason
 */
export async function resultOf(work: () => Promise<Applied>, signal?: AbortSignal): Promise<RowOutcome> {
  const tried = await withRetries<RowOutcome, ServiceError>(
    () => attempt(work),
    (ms) => sleep(ms, undefined, { signal }).catch(() => signal?.throwIfAborted()),
  );
  if (tried.kind === 'failed') throw tried.failure;
  return tried.value;
}

export type RowOutcome = Omit<Applied, 'result'> & { result: Applied['result'] | 'refused' };

async function attempt(work: () => Promise<Applied>): Promise<Tried<RowOutcome, ServiceError>> {
  try {
    return { kind: 'done', value: await work() };
  } catch (error) {
    if (isTemporary(error)) return { kind: 'failed', failure: error, retryAfterMs: null };
    // a bug is not the row's fault
    if (!(error instanceof ServiceError)) throw error;
    return { kind: 'done', value: { result: 'refused', reason: error.message } };
  }
}
