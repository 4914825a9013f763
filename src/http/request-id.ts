import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const HEADER = 'X-Request-Id';
/** What is safe in a log and in a header; everything else that a client sends is replaced. */
const SANE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives a request of the API its id, in the answer's `X-Request-Id`: the one that the client sent, or a new one. */
export function identifyRequest({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  if (!url.startsWith('/api/')) return;
  const sent = headers['x-request-id'];
  response.setHeader(HEADER, typeof sent === 'string' && SANE_ID.test(sent) ? sent : randomUUID());
}

/** The id of a request, as a member of its log lines; empty for requests outside the API. */
export function requestIdOf(response: ServerResponse): { requestId?: string } {
  const id = response.getHeader(HEADER);
  return typeof id === 'string' ? { requestId: id } : {};
}

/** The id of a request that needs one even outside the API. */
export function requireRequestId(response: ServerResponse): string {
  const { requestId = randomUUID() } = requestIdOf(response);
  response.setHeader(HEADER, requestId);
  return requestId;
}
