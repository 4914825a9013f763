import { listAccounts } from '../accounts/accounts.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, DeliveryId } from '../core/ids.ts';
import { DAY_MS } from '../core/time.ts';
import { idsFrom } from '../ids.ts';
import { deleteBodies } from './queries/deliveries.ts';

/** Small enough that no incoming delivery waits for the cleanup. */
const DELIVERIES_PER_UNIT = 200;

/** Deletes old bodies; each run continues where the previous one ended. */
export interface Retention {
  /**
   * Deletes the bodies of processed deliveries that are older than the retention time; keeps their ids, which deduplicate.
   * Returns the number of deleted bodies.
   */
  deleteOldBodies(): Promise<number>;
}

export function createRetention(service: Service): Retention {
  const lastIds = new Map<AccountId, DeliveryId>();

  async function deleteBodiesOf(accountId: AccountId, beforeId: string): Promise<number> {
    let total = 0;
    for (;;) {
      const range = { accountId, afterId: lastIds.get(accountId) ?? 'dlv_', beforeId, limit: DELIVERIES_PER_UNIT };
      const { lastId, deletedCount } = await service.database.write((tx) => deleteBodies(tx, range));
      total += deletedCount;
      if (lastId === null) return total;
      lastIds.set(accountId, lastId);
    }
  }

  return {
    async deleteOldBodies() {
      if (service.deliveryRetentionDays === 0) return 0;
      const beforeId = idsFrom('dlv', service.clock() - service.deliveryRetentionDays * DAY_MS);
      let total = 0;
      for (const { id } of await listAccounts(service)) total += await deleteBodiesOf(id, beforeId);
      return total;
    },
  };
}
