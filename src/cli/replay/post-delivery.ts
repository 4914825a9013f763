import { firstCauseOf, messageOf } from '../../errors.ts';

/** The response to a delivery. */
export interface Answer {
  /** Null if there was no response. */
  status: number | null;
  /** The outcome of a 200; `rejected` for 401, `unreachable` or `timeout` without a response, else the status. */
  outcome: string;
  ms: number;
  /** The message of an error. */
  reason: string | null;
}

const UNREACHABLE = 'unreachable';
export const REJECTED = 'rejected';

const ANSWER_TIMEOUT_MS = 30_000;

/** Posts a signed body like a processor; never rejects. Follows no redirects, because processors do not either. */
export async function postDelivery(url: string, rawBody: Buffer, headers: Record<string, string>): Promise<Answer> {
  const startedAt = performance.now();
  const elapsed = () => Math.round((performance.now() - startedAt) * 10) / 10;
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: new Uint8Array(rawBody),
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const body = bodyOf(await response.text());
    return {
      status: response.status,
      outcome: outcomeOf(response.status, body),
      ms: elapsed(),
      reason: refusalIn(body),
    };
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    const reason = messageOf(firstCauseOf(error));
    return { status: null, outcome: timedOut ? 'timeout' : UNREACHABLE, ms: elapsed(), reason };
  }
}

type Body = { outcome?: unknown; error?: { message?: unknown } } | null;

function bodyOf(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return null;
  }
}

function outcomeOf(status: number, body: Body): string {
  if (status === 200 && typeof body?.outcome === 'string') return body.outcome;
  return status === 401 ? REJECTED : String(status);
}

function refusalIn(body: Body): string | null {
  return typeof body?.error?.message === 'string' ? body.error.message : null;
}
