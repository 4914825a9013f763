import { setTimeout as sleep } from 'node:timers/promises';
import { listAccounts } from '../accounts/accounts.ts';
import { forEachAccount } from '../app/each-account.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { DAY_MS } from '../core/time.ts';
import { idsFrom } from '../ids.ts';
import { BEFORE_ALL, firstUnit, PAUSE_MS, SKEW_MS } from './body-units.ts';
import { findNextStretch } from './next-stretch.ts';
import { deleteBodies, findBodySizes, findCursor, insertCursor, moveCursor } from './queries/retention.ts';

const DELIVERIES_PER_UNIT = 250;

/**
 * Deletes the bodies of processed deliveries that are older than the retention time. Keeps their ids, which
 * deduplicate. Returns the number of deleted bodies. Each run continues where the previous one ended, even after a
 * restart; a run stops early when the service stops.
 */
export async function deleteOldBodies(service: Service): Promise<number> {
  if (service.deliveryRetentionDays === 0) return 0;
  const beforeAt = service.clock() - service.deliveryRetentionDays * DAY_MS;
  const beforeId = idsFrom('dlv', beforeAt);
  const aheadId = idsFrom('dlv', beforeAt + SKEW_MS[service.database.engine]);
  const accountIds = (await listAccounts(service)).map(({ id }) => id);
  let total = 0;
  await forEachAccount(service, accountIds, async (accountId) => {
    await restartIfAhead(service, accountId, aheadId);
    total += await deleteBodiesOf(service, accountId, beforeId);
  });
  return total;
}

/** Moves back a cursor that a clock far ahead has set: what was stored since, and is before it, would be kept forever. */
async function restartIfAhead(service: Service, accountId: AccountId, aheadId: string): Promise<void> {
  const cursor = await cursorOf(service, accountId);
  if (cursor >= aheadId) await service.database.write((tx) => moveCursor(tx, accountId, cursor, BEFORE_ALL));
}

async function deleteBodiesOf(service: Service, accountId: AccountId, beforeId: string): Promise<number> {
  const { database, lifecycle } = service;
  let total = 0;
  let deleted = 0;
  while (!lifecycle.draining) {
    if (deleted === 0) await skipEmpty(service, accountId, beforeId);
    const afterId = await cursorOf(service, accountId);
    const range = { accountId, afterId, beforeId, limit: DELIVERIES_PER_UNIT };
    const lastId = firstUnit(await database.report((tx) => findBodySizes(tx, range))).at(-1)?.id;
    if (lastId === undefined) return total;
    deleted = await database.write(
      async (tx) => {
        // must come first: a delivery that is processed in the meantime is then either deleted here or moves the cursor
        // back afterwards
        if (!(await moveCursor(tx, accountId, afterId, lastId))) return 0;
        return deleteBodies(tx, accountId, afterId, lastId);
      },
      { alone: true },
    );
    total += deleted;
    await sleep(PAUSE_MS);
  }
  return total;
}

/** Moves the cursor to the next delivery that has a body. */
async function skipEmpty(service: Service, accountId: AccountId, beforeId: string): Promise<void> {
  const { database, lifecycle } = service;
  while (!lifecycle.draining) {
    const afterId = await cursorOf(service, accountId);
    const range = { accountId, afterId, beforeId, limit: DELIVERIES_PER_UNIT };
    const { lastId, mayContinue } = await findNextStretch(database, range);
    if (lastId === null) return;
    await database.write((tx) => moveCursor(tx, accountId, afterId, lastId));
    await sleep(PAUSE_MS);
    if (!mayContinue) return;
  }
}

async function cursorOf({ database }: Service, accountId: AccountId): Promise<string> {
  const cursor = await database.read((tx) => findCursor(tx, accountId));
  if (cursor === undefined) await database.write((tx) => insertCursor(tx, accountId, BEFORE_ALL));
  return cursor ?? BEFORE_ALL;
}
