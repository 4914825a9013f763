import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PartnerId } from '../core/ids.ts';
import { type RequestCounter, requireWithin } from './rate-limit.ts';

/** The portal requests half a dozen parts at once, but nobody opens it twice a second. */
const REQUESTS_MAX = 600;
/** Each change stays in the audit log for ever. */
const CHANGES_MAX = 30;

/**
 * Counts a request of a partner, whichever of the partner's tokens it carries. In many programs anybody may become one.
 *
 * @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After`
 */
export type LimitPartner = (
  partner: { partnerId: PartnerId },
  request: Pick<IncomingMessage, 'method'>,
  response: ServerResponse,
) => Promise<void>;

/** Counts all requests of a partner and, apart, those that change something. */
export function limitPartners(counter: RequestCounter): LimitPartner {
  return async ({ partnerId }, { method }, response) => {
    await requireWithin(counter, { key: partnerId, limit: REQUESTS_MAX, who: 'for one partner' }, response);
    if (method === 'GET' || method === 'HEAD') return;
    const changes = {
      key: `changes of ${partnerId}`,
      limit: CHANGES_MAX,
      who: 'that change something for one partner',
      name: 'changes',
    };
    await requireWithin(counter, changes, response);
  };
}
