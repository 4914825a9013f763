import { type Connection, type Outcome, send } from './send.ts';

/** Sends to one service, which may have asked everybody to wait. */
export interface Sender {
  send(path: string, body: string, timeoutMs: number): Promise<Outcome>;
  /** For how long the service wants no request yet; 0 for none. */
  pausedMs(): number;
}

const BACKOFF_MS_MAX = 300_000;
const FIRST_RETRY_MS = 100;

export function createSender(connection: Connection): Sender {
  let pausedUntil = 0;
  return {
    async send(path, body, timeoutMs) {
      const outcome = await send(connection, path, body, timeoutMs);
      if (outcome.kind === 'delayed' && outcome.retryAfterMs !== null) {
        pausedUntil = Math.max(pausedUntil, Date.now() + outcome.retryAfterMs);
      }
      return outcome;
    },
    pausedMs: () => Math.max(pausedUntil - Date.now(), 0),
  };
}

/**
 * Tries again and again until an answer that stands, or until the next attempt would begin after `budgetMs`.
 *
 * @returns the last outcome, and how many requests were sent: 0 where the service had asked to wait for longer
 */
export async function sendWithin(
  sender: Sender,
  path: string,
  body: string,
  budgetMs: number,
): Promise<{ outcome: Outcome; attempts: number }> {
  const deadline = Date.now() + budgetMs;
  let attempts = 0;
  let outcome: Outcome = { kind: 'delayed', error: askedToWait(sender.pausedMs()), retryAfterMs: null };
  for (
    let waitMs = sender.pausedMs();
    Date.now() + waitMs < deadline;
    waitMs = Math.max(sender.pausedMs(), backoffMs(attempts - 1, FIRST_RETRY_MS))
  ) {
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    outcome = await sender.send(path, body, Math.max(deadline - Date.now(), 1));
    attempts += 1;
    if (outcome.kind !== 'delayed') break;
  }
  return { outcome, attempts };
}

/** Doubles with every failure, from `firstMs` to five minutes; half of it is chance, so that clients do not march in step. */
export function backoffMs(failures: number, firstMs: number): number {
  return Math.min(firstMs * 2 ** failures, BACKOFF_MS_MAX) * (0.5 + Math.random() / 2);
}

function askedToWait(pausedMs: number) {
  const message = `The service asked to wait: nothing is sent for ${Math.ceil(pausedMs / 1000)} more seconds`;
  return { code: 'NOT_SENT', message, status: null };
}
