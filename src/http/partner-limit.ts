import type { ServerResponse } from 'node:http';
import type { PartnerId } from '../core/ids.ts';
import { type RequestCounter, requireWithin } from './rate-limit.ts';

/** The portal requests half a dozen parts at once, but nobody opens it twice a second. */
const REQUESTS_MAX = 600;

/**
 * Counts a request of a partner, whichever of the partner's tokens it carries. In many programs anybody may become one.
 *
 * @throws ServiceError `RATE_LIMIT_EXCEEDED` with `Retry-After`
 */
export type LimitPartner = (partner: { partnerId: PartnerId }, response: ServerResponse) => Promise<void>;

export function limitPartners(counter: RequestCounter): LimitPartner {
  return ({ partnerId }, response) =>
    requireWithin(counter, { key: partnerId, limit: REQUESTS_MAX, who: 'for one partner' }, response);
}
