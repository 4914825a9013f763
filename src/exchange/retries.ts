import { retryAfterMs } from '../core/retry-after.ts';

export const ATTEMPTS_MAX = 8;
const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 60_000;
/** A longer `Retry-After` is shortened to this. */
const RETRY_AFTER_MS_MAX = 15 * 60_000;

/** The result of one attempt. */
export type Tried<T, Failure> =
  | { kind: 'done'; value: T }
  /** The next attempt may succeed, after `retryAfterMs` if the other side has named a time. */
  | { kind: 'failed'; failure: Failure; retryAfterMs: number | null };

/**
 * Retries until it succeeds, after a pause that doubles, from 250 ms to a minute, or the longer one that a failure asks
 * for. A shorter one would use up the attempts too soon. Returns the last attempt. Throws what an attempt or a pause throws.
 *
 * @param attemptsMax is asked after each attempt; 8 take half a minute
 */
export async function withRetries<T, Failure>(
  attempt: (attempts: number) => Promise<Tried<T, Failure>>,
  wait: (ms: number, failure: Failure) => Promise<unknown>,
  attemptsMax = () => ATTEMPTS_MAX,
): Promise<Tried<T, Failure>> {
  for (let attempts = 1; ; attempts += 1) {
    const tried = await attempt(attempts);
    if (tried.kind === 'done' || attempts >= attemptsMax()) return tried;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), PAUSE_MS_MAX);
    await wait(Math.max(pauseMs, tried.retryAfterMs ?? 0), tried.failure);
  }
}

/** The wait that `Retry-After` asks for, in milliseconds, at most 15 minutes; null without a valid one. */
export function retryAfterOf(headers: Headers): number | null {
  const ms = retryAfterMs(headers.get('retry-after'), Date.now());
  return ms === null ? null : Math.min(ms, RETRY_AFTER_MS_MAX);
}
