import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';
import { withRetries } from '../../exchange/retries.ts';
import type { Progress } from '../terminal/progress.ts';
import { NoAnswer } from './remote-errors.ts';

/**
 * The codes with which the server says that a later attempt may succeed; what is repeated counts once. The API of a command
 * already repeats what exceeded the rate limit.
 */
const PASSING: readonly string[] = ['UNAVAILABLE', 'OUTCOME_UNKNOWN'];

/** Makes a call that may be repeated; waits while the server cannot answer it. @throws its last error */
export async function retryUnavailable<T>(progress: Progress, call: (attempts: number) => Promise<T>): Promise<T> {
  const tried = await withRetries<T, Error>(
    async (attempts) => {
      try {
        return { kind: 'done', value: await call(attempts) };
      } catch (error) {
        if (error instanceof NoAnswer) return { kind: 'failed', failure: error, retryAfterMs: error.retryAfterMs };
        if (!(error instanceof ServiceError && PASSING.includes(error.code))) throw error;
        const { retryAfterSeconds } = error;
        return { kind: 'failed', failure: error, retryAfterMs: retryAfterSeconds ? retryAfterSeconds * 1_000 : null };
      }
    },
    (ms, { message }) => waitOut(progress, ms, message),
  );
  if (tried.kind === 'failed') throw tried.failure;
  return tried.value;
}

/** Shows how long the pause takes, and why. */
async function waitOut(progress: Progress, ms: number, reason: string): Promise<void> {
  const [sentence = ''] = reason.split('\n');
  for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
    progress.show(`trying again in ${Math.ceil(leftMs / 1_000)} s: ${sentence}`);
    await sleep(Math.min(leftMs, 1_000));
  }
}
