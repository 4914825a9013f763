import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { withRetries } from '../../exchange/retries.ts';
import { note } from '../terminal/output.ts';
import type { AccountApi } from './account-api.ts';

/**
 * The API, which is asked again when the server says that a key makes too many requests: it refuses those before it does
 * anything, so that nothing is done twice. What it asks to wait is waited for, and said on stderr.
 */
export function createRetryingApi(api: AccountApi): AccountApi {
  return {
    ...api,
    call: (operationId, input) => retryLimited(() => api.call(operationId, input)),
    async *download(operationId, input) {
      // only the beginning of an answer can be refused
      const opened = await retryLimited(async () => {
        const chunks = api.download(operationId, input)[Symbol.asyncIterator]();
        return { chunks, first: await chunks.next() };
      });
      try {
        for (let next = opened.first; !next.done; next = await opened.chunks.next()) yield next.value;
      } finally {
        // a reader who goes away ends the connection
        await opened.chunks.return?.();
      }
    },
  };
}

/** @throws the last refusal after several, and any other error at once */
async function retryLimited<T>(request: () => Promise<T>): Promise<T> {
  const tried = await withRetries<T, ServiceError>(
    async () => {
      try {
        return { kind: 'done', value: await request() };
      } catch (error) {
        if (!(error instanceof ServiceError && error.code === 'RATE_LIMIT_EXCEEDED')) throw error;
        const { retryAfterSeconds } = error;
        return { kind: 'failed', failure: error, retryAfterMs: retryAfterSeconds ? retryAfterSeconds * 1_000 : null };
      }
    },
    (ms, { message }) => {
      note(`Waiting ${Math.ceil(ms / 1_000)} s: ${message}.`);
      return sleep(ms);
    },
  );
  if (tried.kind === 'failed') throw tried.failure;
  return tried.value;
}
