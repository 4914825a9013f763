import { BoundedCache } from '../app/bounded-cache.ts';
import type { Service } from '../app/service.ts';
import type { Processor } from '../core/processor.ts';
import { type EndpointWithTraffic, findEndpointForDelivery } from './queries/endpoints.ts';

/** How long a cached endpoint takes deliveries without another look at the database. */
const MAX_AGE_MS = 1_000;

const createEndpointCache = ({ clock }: Service) =>
  new BoundedCache<string, EndpointWithTraffic>({ entriesMax: 1_000, maxAgeMs: MAX_AGE_MS, clock });

/**
 * The endpoint as it was within the last second; null when it is not cached or another processor's. The process that
 * changes an endpoint sees the change at once, others within a second: load it before a delivery is refused.
 */
export function cachedEndpoint(service: Service, id: string, processor: Processor): EndpointWithTraffic | null {
  const endpoint = service.state(createEndpointCache).get(id);
  return endpoint?.processor === processor ? endpoint : null;
}

/**
 * What the database has now, which is cached; null for an endpoint that does not exist (any more) or is another
 * processor's.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function loadEndpoint(
  service: Service,
  id: string,
  processor: Processor,
): Promise<EndpointWithTraffic | null> {
  const find = () => service.database.read((tx) => findEndpointForDelivery(tx, id, processor));
  return (await service.state(createEndpointCache).load(id, find)) ?? null;
}

/** To be called after an endpoint was changed or deleted. */
export function invalidateEndpoint(service: Service, id: string): void {
  service.state(createEndpointCache).invalidate(id);
}
