import { perDatabase } from '../app/per-database.ts';
import type { Service } from '../app/service.ts';
import type { Processor } from '../core/processor.ts';
import type { Database } from '../storage/database.ts';
import { type EndpointWithTraffic, findEndpointForDelivery } from './queries/endpoints.ts';

/** So long an endpoint that was looked up takes deliveries without another look. */
const FRESH_MS = 1_000;
const REMEMBERED_MAX = 1_000;

interface Remembered {
  endpoint: EndpointWithTraffic;
  seenAt: number;
}

/** `changes` counts them, so that what was read before a change is not remembered after it. */
const memoryOf = perDatabase(() => ({ endpoints: new Map<string, Remembered>(), changes: 0 }));

/**
 * The endpoint as it was within the last second; null when nobody asked for it. A change is seen at once by the process
 * that made it, and within a second by others: whoever refuses a delivery for what this says looks it up first.
 */
export function recallEndpoint(
  { database, clock }: Service,
  id: string,
  processor: Processor,
): EndpointWithTraffic | null {
  const known = memoryOf(database).endpoints.get(id);
  if (known === undefined || known.endpoint.processor !== processor) return null;
  return Math.abs(clock() - known.seenAt) < FRESH_MS ? known.endpoint : null;
}

/**
 * What the database has now, remembered from here on; null for one that is not there (any more) or is another processor's.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function lookUpEndpoint(
  { database, clock }: Service,
  id: string,
  processor: Processor,
): Promise<EndpointWithTraffic | null> {
  const memory = memoryOf(database);
  const { endpoints, changes } = memory;
  const seenAt = clock();
  const endpoint = await database.read((tx) => findEndpointForDelivery(tx, id, processor));
  endpoints.delete(id);
  if (endpoint === undefined) return null;
  const [oldest] = endpoints.keys();
  if (endpoints.size >= REMEMBERED_MAX && oldest !== undefined) endpoints.delete(oldest);
  if (memory.changes === changes) endpoints.set(id, { endpoint, seenAt });
  return endpoint;
}

/** To be called after an endpoint was changed or deleted. */
export function forgetEndpoint(database: Database, id: string): void {
  const memory = memoryOf(database);
  memory.changes += 1;
  memory.endpoints.delete(id);
}
