import { dropBodies } from '../storage/queries/deliveries.ts';
import type { Service } from './service.ts';

const DAY_MS = 86_400_000;
/** So few at a time that no delivery waits for the clean-up. */
const BODIES_PER_UNIT = 200;

/**
 * Drops the bodies of processed deliveries that are older than the retention time; their ids stay, because they
 * deduplicate. Returns how many it dropped.
 */
export async function dropOldBodies(service: Service): Promise<number> {
  if (service.deliveryRetentionDays === 0) return 0;
  const before = service.clock() - service.deliveryRetentionDays * DAY_MS;
  let droppedCount = 0;
  for (;;) {
    const count = await service.database.write((tx) => dropBodies(tx, before, BODIES_PER_UNIT));
    droppedCount += count;
    if (count < BODIES_PER_UNIT) return droppedCount;
  }
}
