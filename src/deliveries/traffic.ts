import type { Transaction } from '../storage/database.ts';
import { type EndpointWithTraffic, touchEndpoint } from './queries/endpoints.ts';

/** An endpoint's traffic is noted once a minute at most, so that deliveries rarely write its row. */
const TRAFFIC_MS = 60_000;

/** True when the last delivery that was noted is a minute old, or none was. */
export function isTrafficNews({ lastDeliveryAt }: Pick<EndpointWithTraffic, 'lastDeliveryAt'>, now: number): boolean {
  return lastDeliveryAt === null || lastDeliveryAt <= now - TRAFFIC_MS;
}

/** Notes that the endpoint is in use; a note younger than a minute stays. */
export function noteTraffic(tx: Transaction, endpointId: string, now: number): Promise<void> {
  return touchEndpoint(tx, endpointId, now, now - TRAFFIC_MS);
}
