import { listAccounts } from '../accounts/accounts.ts';
import type { Service } from '../app/service.ts';
import { DAY_MS } from '../core/time.ts';
import { idsFrom } from '../ids.ts';
import { dropBodies } from './queries/deliveries.ts';

/** So few at a time that no delivery waits for the clean-up. */
const DELIVERIES_PER_UNIT = 200;

/** Drops old bodies, each run going on where the one before ended. */
export interface Retention {
  /**
   * Drops the bodies of processed deliveries that are older than the retention time; their ids stay, because they
   * deduplicate. Returns how many it dropped.
   */
  dropOldBodies(): Promise<number>;
}

export function createRetention(service: Service): Retention {
  const lastIds = new Map<string, string>();

  async function dropBodiesOf(accountId: string, beforeId: string): Promise<number> {
    let total = 0;
    for (;;) {
      const range = { accountId, afterId: lastIds.get(accountId) ?? 'dlv_', beforeId, limit: DELIVERIES_PER_UNIT };
      const { lastId, droppedCount } = await service.database.write((tx) => dropBodies(tx, range));
      total += droppedCount;
      if (lastId === null) return total;
      lastIds.set(accountId, lastId);
    }
  }

  return {
    async dropOldBodies() {
      if (service.deliveryRetentionDays === 0) return 0;
      const beforeId = idsFrom('dlv', service.clock() - service.deliveryRetentionDays * DAY_MS);
      let total = 0;
      for (const { id } of await listAccounts(service)) total += await dropBodiesOf(id, beforeId);
      return total;
    },
  };
}
