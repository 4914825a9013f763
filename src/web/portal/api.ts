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
  statement: NonNullable<Operations['getPortalStatement']['answer']>;
  'payout-details': Operations['getPortalPayoutDetails']['answer'];
  'payout-onboarding': Operations['getPortalOnboarding']['answer'];
}

/** The answers to what is created. */
interface Created {
  'payout-onboarding': Operations['createPortalOnboardingLink']['answer'];
}

/** A refused or failed request; `code` is the service's, `UNAVAILABLE` or `NETWORK_ERROR`. */
export class Failure extends Error {
  readonly code: string;
  /** The members of the body that were refused. */
  readonly paths: readonly string[];
  /** The HTTP status; null without an answer. */
  readonly status: number | null;

  constructor(code: string, message: string, status: number | null = null, paths: readonly string[] = []) {
    super(message);
    this.code = code;
    this.status = status;
    this.paths = paths;
  }

  /** Whether the server said no; otherwise a change may have been made. */
  get isRefusal(): boolean {
    return this.status !== null && this.status >= 400 && this.status < 500;
  }
}

/** The requests of one partner's session. This object keeps the token; without one the browser sends its cookie. */
export class Api {
  readonly #token: string | null;

  constructor(token: string | null) {
    this.#token = token;
  }

  /** @throws Failure */
  async get<Name extends keyof Answers>(_name: Name, path: string): Promise<Answers[Name]> {
    return (await this.#send(path)) as Answers[Name];
  }

  /** Replaces the resource. @throws Failure */
  async put<Name extends keyof Answers>(name: Name, body: object): Promise<Answers[Name]> {
    return (await this.#send(name, { method: 'PUT', body: JSON.stringify(body) })) as Answers[Name];
  }

  /** @throws Failure */
  async post<Name extends keyof Created>(name: Name, body: object): Promise<Created[Name]> {
    return (await this.#send(name, { method: 'POST', body: JSON.stringify(body) })) as Created[Name];
  }

  /** @throws Failure */
  async file(path: string): Promise<Blob> {
    return (await this.#send(path, {}, 'blob')) as Blob;
  }

  #send(path: string, options: RequestInit = {}, read?: 'blob'): Promise<unknown> {
    const headers = {
      ...(this.#token !== null && { Authorization: `Bearer ${this.#token}` }),
      ...(options.body !== undefined && JSON_BODY),
    };
    const credentials = this.#token === null ? 'same-origin' : 'omit';
    return send(`/api/embed/referrals/${path}`, { ...options, headers, credentials }, read);
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/**
 * Exchanges the code of a portal link for a session, which the browser keeps as a cookie.
 *
 * @throws Failure
 */
export async function openSession(code: string): Promise<void> {
  const body = JSON.stringify({ code });
  const options = { method: 'POST', headers: JSON_BODY, body, credentials: 'same-origin' } as const;
  await send('/api/embed/session', options);
}

async function send(path: string, options: RequestInit, read: 'json' | 'blob' = 'json'): Promise<unknown> {
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(path, { ...options, cache: 'no-store' });
    answer = await response[response.ok ? read : 'json']().catch(() => null);
  } catch {
    throw new Failure('NETWORK_ERROR', 'The server does not answer');
  }
  if (response.ok && answer !== null) return answer;
  const { code, message, details = [] } = (answer as Partial<ErrorAnswer> | null)?.error ?? {};
  const paths = details.map((detail) => detail.path);
  const { status } = response;
  throw new Failure(code ?? 'UNAVAILABLE', message ?? `The server answered ${status}`, status, paths);
}
