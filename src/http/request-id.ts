import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

const HEADER = 'X-Request-Id';
/** What is safe in a log and in a header; everything else that a client sends is replaced. */
const SANE_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** A path of the API as clients may write it, with a doubled slash or in another case. */
const API_PATH = /^\/+api\//i;

/**
 * Gives a request its id, in the answer's `X-Request-Id`: the one that the client sent or, in the API, a new one.
 * Elsewhere a request gets a new id only when it fails, because most requests come from visitors, who see no header.
 */
export function identifyRequest(request: IncomingMessage, response: ServerResponse): void {
  const sent = sentRequestId(request);
  if (sent !== null) response.setHeader(HEADER, sent);
  else if (API_PATH.test(request.url ?? '')) response.setHeader(HEADER, randomUUID());
}

/** The id that the client sent; null without one that is safe to repeat. */
export function sentRequestId({ headers }: IncomingMessage): string | null {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && SANE_ID.test(sent) ? sent : null;
}

/**
 * The id of a request, as a member of its log lines; empty outside the API, unless the client sent one or the request
 * failed.
 */
export function requestIdOf(response: ServerResponse): { requestId?: string } {
  const id = response.getHeader(HEADER);
  return typeof id === 'string' ? { requestId: id } : {};
}

/** The id of a failed request, which needs one even outside the API. */
export function requireRequestId(response: ServerResponse): string {
  const { requestId = randomUUID() } = requestIdOf(response);
  response.setHeader(HEADER, requestId);
  return requestId;
}
