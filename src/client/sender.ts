import { type Connection, type SendResult, send } from './send.ts';
import { stopwatchMs } from './stopwatch.ts';

/** Sends to one service, and knows when the service asked to wait. */
export interface Sender {
  send(path: string, body: string, timeoutMs: number): Promise<SendResult>;
  /** How long the service wants no requests; 0 when it takes them. */
  pausedMs(): number;
}

const BACKOFF_MS_MAX = 300_000;
const FIRST_RETRY_MS = 100;

export function createSender(connection: Connection): Sender {
  let pausedUntil = 0;
  return {
    async send(path, body, timeoutMs) {
      const result = await send(connection, path, body, timeoutMs);
      if (result.kind === 'delayed' && result.retryAfterMs !== null) {
        pausedUntil = Math.max(pausedUntil, stopwatchMs() + result.retryAfterMs);
      }
      return result;
    },
    pausedMs: () => Math.max(pausedUntil - stopwatchMs(), 0),
  };
}

/**
 * Retries until a final answer, or until the next attempt would start after `budgetMs`.
 *
 * @returns the last result, and the number of requests: 0 when the service asked to wait for longer
 */
export async function sendWithin(
  sender: Sender,
  path: string,
  body: string,
  budgetMs: number,
): Promise<{ result: SendResult; attempts: number }> {
  const deadline = stopwatchMs() + budgetMs;
  let attempts = 0;
  let result: SendResult = { kind: 'delayed', error: askedToWait(sender.pausedMs()), retryAfterMs: null };
  for (
    let waitMs = sender.pausedMs();
    stopwatchMs() + waitMs < deadline;
    waitMs = Math.max(sender.pausedMs(), backoffMs(attempts - 1, FIRST_RETRY_MS))
  ) {
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    result = await sender.send(path, body, Math.max(deadline - stopwatchMs(), 1));
    attempts += 1;
    if (result.kind !== 'delayed') break;
  }
  return { result, attempts };
}

/** Exponential backoff with jitter, from `firstMs` to five minutes. */
export function backoffMs(failures: number, firstMs: number): number {
  return Math.min(firstMs * 2 ** failures, BACKOFF_MS_MAX) * (0.5 + Math.random() / 2);
}

function askedToWait(pausedMs: number) {
  const message = `The service asked to wait: no requests for another ${Math.ceil(pausedMs / 1000)} seconds`;
  return { code: 'NOT_SENT', message, status: null };
}
