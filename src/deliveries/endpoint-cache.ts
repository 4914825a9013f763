import { BoundedCache } from '../app/bounded-cache.ts';
import type { Service } from '../app/service.ts';
import type { Processor } from '../core/processor.ts';
import { type EndpointWithTraffic, findEndpointForDelivery } from './queries/endpoints.ts';

/** How long a cached endpoint is used without querying the database. */
const MAX_AGE_MS = 1_000;

const createEndpointCache = ({ clock }: Service) =>
  new BoundedCache<string, EndpointWithTraffic>({ entriesMax: 1_000, maxAgeMs: MAX_AGE_MS, clock });

/**
 * The endpoint, at most one second old; null when it is not cached or belongs to another processor. The process that
 * changes an endpoint sees the change at once, other processes within a second. Load the endpoint before refusing a
 * delivery.
 */
export function cachedEndpoint(service: Service, id: string, processor: Processor): EndpointWithTraffic | null {
  const endpoint = service.state(createEndpointCache).get(id);
  return endpoint?.processor === processor ? endpoint : null;
}

/**
 * Reads the endpoint from the database and caches it; null when it does not exist, was deleted or belongs to another
 * processor.
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

/** Call after an endpoint was changed or deleted. */
export function invalidateEndpoint(service: Service, id: string): void {
  service.state(createEndpointCache).invalidate(id);
}
