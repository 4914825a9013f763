import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Callers } from '../app/route.ts';
import { actorName } from '../core/actor.ts';
import { JSON_BYTES_MAX } from './json-body.ts';
import { type RequestCounter, requireWithin } from './rate-limit.ts';
import { contentEncodingOf, hasBody } from './request-body.ts';

/** One with a hundred thousand members keeps the process busy for a second, and anybody who may read may send it. */
const REQUESTS_MAX = 30;

/**
 * Counts a request of a key or an operator whose body may have more than 64 KiB.
 *
 * @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After`
 */
export type LimitLargeBodies = (
  caller: Callers['api-key'],
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<void>;

export function limitLargeBodies(counter: RequestCounter): LimitLargeBodies {
  return async ({ actor }, request, response) => {
    if (!mayBeLarge(request)) return;
    const who = `with bodies of more than ${JSON_BYTES_MAX / 1024} KiB`;
    const policy = { key: `large bodies of ${actorName(actor)}`, limit: REQUESTS_MAX, who, name: 'large-bodies' };
    await requireWithin(counter, policy, response);
  };
}

/** Judged by the headers, so that a refused body is not read. */
function mayBeLarge(request: IncomingMessage): boolean {
  if (!hasBody(request)) return false;
  const { 'content-length': length = Number.POSITIVE_INFINITY } = request.headers;
  return Number(length) > JSON_BYTES_MAX || contentEncodingOf(request) !== 'identity';
}
