import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LocalServer, serveNode } from '../helpers/serve-fetch.ts';

export interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  body: any;
  at: number;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Other outcomes: the answer never arrives, or the connection breaks. */
  with?: (response: ServerResponse) => void;
}

/** A stub with scripted answers: each reply once, in order, then the last one forever. */
export interface ServiceStub extends LocalServer {
  calls: ReceivedCall[];
  reply(...replies: Reply[]): void;
}

/** What the service answers to a lead, a sale or a refund. */
export const OK: Reply = { body: { eventName: 'Sign up', sale: { id: 'sal_1' }, id: 'sal_1' } };
export const UNAVAILABLE: Reply = { status: 503, body: { error: { code: 'UNAVAILABLE', message: 'Try again' } } };
export const DUPLICATE: Reply = { status: 409, body: { error: { code: 'DUPLICATE_INVOICE', message: 'Known' } } };
export const SILENCE: Reply = { with: () => undefined };

/** A fetch without a timeout, because a client's short timeout does not work on a busy machine. */
export const fetchWithoutTimeout: typeof fetch = (input, init) => fetch(input, { ...init, signal: null });

export async function createServiceStub(): Promise<ServiceStub> {
  const calls: ReceivedCall[] = [];
  let replies: Reply[] = [OK];
  const server = await serveNode(async (request, response) => {
    const body = JSON.parse(await text(request));
    calls.push({ path: request.url ?? '', headers: request.headers, body, at: Date.now() });
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? OK;
    if (reply.with) return reply.with(response);
    const content = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {});
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers }).end(content);
  });
  return {
    ...server,
    calls,
    reply(...next) {
      replies = next;
    },
  };
}
