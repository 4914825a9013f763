import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { DAY_MS } from '../core/time.ts';
import { idsFrom } from '../ids.ts';
import {
  deleteEvents,
  deleteSent,
  findAllEndpointIds,
  findNextAccount,
  findOldEvents,
  findOldSent,
} from './queries/retention.ts';

const EVENTS_PER_UNIT = 100;
/** Leaves the disk to other work between two units. */
const PAUSE_MS = 20;

/**
 * Deletes events that are older than the retention time, with their attempts, whether they were delivered or not.
 * Returns their number. Several processes may run it at once; it stops early when the service stops. An account whose events
 * cannot be deleted does not stop the others.
 */
export async function deleteOldEvents(service: Service): Promise<number> {
  const { retentionDays } = service.events;
  if (retentionDays === 0) return 0;
  const beforeId = idsFrom('evt', service.clock() - retentionDays * DAY_MS);
  let total = 0;
  for (let accountId = await nextAccount(service, ''); accountId !== undefined; ) {
    try {
      total += await deleteEventsOf(service, accountId, beforeId);
    } catch (error) {
      service.log.warn({ accountId, err: error }, 'background work failed for an account');
    }
    accountId = await nextAccount(service, accountId);
  }
  return total;
}

function nextAccount({ database }: Service, afterId: string): Promise<AccountId | undefined> {
  return database.read((tx) => findNextAccount(tx, afterId));
}

async function deleteEventsOf(
  { database, lifecycle }: Service,
  accountId: AccountId,
  beforeId: string,
): Promise<number> {
  let total = 0;
  while (!lifecycle.draining) {
    const ids = await database.report((tx) => findOldEvents(tx, accountId, beforeId, EVENTS_PER_UNIT));
    // earlier versions may have left records of events that no longer exist
    const lastId = ids.at(-1) ?? (await database.report((tx) => findOldSent(tx, accountId, beforeId)));
    if (lastId === undefined) return total;
    total += await database.write(
      async (tx) => {
        // first, because PostgreSQL waits here for units that send these events again, and then sees their deliveries
        const count = await deleteEvents(tx, accountId, lastId);
        for (const endpointId of await findAllEndpointIds(tx, accountId)) await deleteSent(tx, endpointId, lastId);
        return count;
      },
      { alone: true },
    );
    await sleep(PAUSE_MS);
  }
  return total;
}
