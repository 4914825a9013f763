import type { ErrorAnswer, Operations } from '../../client/api-types.ts';

/** The answers of `/api/embed/referrals/…` by the start of their path. */
export interface Answers {
  'portal-config': Operations['getPortalConfig']['answer'];
  terms: Operations['getPortalTerms']['answer'];
  links: Operations['listPortalLinks']['answer'];
  statistics: Operations['getPortalStatistics']['answer'];
  earnings: Operations['getPortalEarnings']['answer'];
  sales: Operations['listPortalSales']['answer'];
  payouts: Operations['listPortalPayouts']['answer'];
  statement: Operations['getPortalStatement']['answer'];
}

/** A refused or failed request; `code` is the service's, `UNAVAILABLE` or `NETWORK_ERROR`. */
export class Failure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Requests of one partner's session. The token stays here; without one the browser adds its cookie. */
export class Api {
  readonly #token: string | null;

  constructor(token: string | null) {
    this.#token = token;
  }

  /** @throws Failure */
  async get<Name extends keyof Answers>(_name: Name, path: string): Promise<Answers[Name]> {
    const headers = this.#token === null ? {} : { Authorization: `Bearer ${this.#token}` };
    const credentials = this.#token === null ? 'same-origin' : 'omit';
    return (await send(`/api/embed/referrals/${path}`, { headers, credentials })) as Answers[Name];
  }
}

/**
 * Trades the code of a portal link for a session, which the browser keeps as a cookie.
 *
 * @throws Failure
 */
export async function openSession(code: string): Promise<{ expires: string }> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ code });
  const options = { method: 'POST', headers, body, credentials: 'same-origin' } as const;
  return (await send('/api/embed/session', options)) as { expires: string };
}

async function send(path: string, options: RequestInit): Promise<unknown> {
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(path, { ...options, cache: 'no-store' });
    answer = await response.json().catch(() => null);
  } catch {
    throw new Failure('NETWORK_ERROR', 'The server does not answer');
  }
  if (response.ok && answer !== null) return answer;
  const error = (answer as Partial<ErrorAnswer> | null)?.error;
  throw new Failure(error?.code ?? 'UNAVAILABLE', error?.message ?? `The server answered ${response.status}`);
}
