import { expect } from 'vitest';
import { type ClientOptions, createClient, type RefbridgeError } from '../../src/client/index.ts';
import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts';

interface Sent {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: unknown;
}

export type Outcome = Response | Error | 'silence';

export const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });
export const refusal = (code: ErrorCode, headers: Record<string, string> = {}) =>
  json(ERROR_STATUS[code], { error: { code, message: `It is ${code}` } }, headers);
export const BROKEN = new TypeError('fetch failed', { cause: new Error('ECONNRESET') });

/** A client whose requests get these outcomes in order, and then the last one forever. */
export function clientOf(outcomes: Outcome[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    const outcome = outcomes[Math.min(sent.length, outcomes.length - 1)];
    sent.push({
      method: init.method ?? '',
      url: new URL(url),
      headers: init.headers as Record<string, string>,
      body: init.body,
    });
    if (outcome instanceof Response) return outcome.clone();
    if (outcome instanceof Error) throw outcome;
    return new Promise((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  }) as typeof globalThis.fetch;
  const client = createClient({ baseUrl: 'https://refer.example.com/', apiKey: 'rb_live_key', fetch, ...options });
  return { client, sent };
}

/** The error that a call is rejected with. */
export const errorOf = (call: PromiseLike<unknown>) =>
  call.then(
    () => expect.unreachable('the call should fail'),
    (error: unknown) => error as RefbridgeError,
  );
