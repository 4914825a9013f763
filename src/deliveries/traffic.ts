import type { EndpointId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import type { EndpointWithTraffic } from './queries/endpoints.ts';
import { touchEndpoint } from './queries/traffic.ts';

/** An endpoint's last delivery is recorded at most once a minute, so that deliveries rarely write its row. */
const TOUCH_INTERVAL_MS = 60_000;

/** True when the recorded last delivery is at least a minute old, or missing. */
export function isTouchDue({ lastDeliveryAt }: Pick<EndpointWithTraffic, 'lastDeliveryAt'>, now: number): boolean {
  return lastDeliveryAt === null || lastDeliveryAt <= now - TOUCH_INTERVAL_MS;
}

/**
 * Records the endpoint's last delivery after the unit has succeeded, unless one within the last minute is already
 * recorded.
 */
export function touchTraffic(tx: Transaction, endpointId: EndpointId, now: number): void {
  tx.last(endpointId, touchLast, { endpointId, now });
}

interface Touch {
  endpointId: EndpointId;
  now: number;
}

async function touchLast(tx: Transaction, touches: readonly Touch[]): Promise<void> {
  const [first] = touches;
  if (first === undefined) return;
  const now = Math.max(...touches.map((touch) => touch.now));
  tx.unawaited(touchEndpoint(tx, first.endpointId, now, now - TOUCH_INTERVAL_MS));
}
