import type { Service } from '../app/service.ts';
import { writeEach } from '../app/write-each.ts';
import { DAY_MS } from '../core/time.ts';
import { deleteReferences } from './queries/carried.ts';
import { deleteItem, findOldItems } from './queries/items.ts';
import { ITEMS_KEPT_DAYS } from './schemas.ts';

/** Items per unit of work. */
const ITEMS_PER_UNIT = 500;

/** Deletes what ended reconciliations have found after 90 days; their counts stay. Returns the number of items. */
export async function deleteOldItems({ database, clock, lifecycle }: Service): Promise<number> {
  const before = clock() - ITEMS_KEPT_DAYS * DAY_MS;
  let total = 0;
  while (!lifecycle.draining) {
    const deleted = await database.write(
      async (tx) => {
        const items = await findOldItems(tx, before, ITEMS_PER_UNIT);
        await writeEach(items, (item) => deleteReferences(tx, item));
        await writeEach(items, (item) => deleteItem(tx, item));
        return items.length;
      },
      { alone: true },
    );
    total += deleted;
    if (deleted < ITEMS_PER_UNIT) break;
  }
  return total;
}
