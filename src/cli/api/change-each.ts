import { ServiceError } from '../../errors.ts';

/** They are about one item: the others can be changed all the same. */
const OF_ONE_ITEM: readonly string[] = ['INVALID_STATE', 'NOT_FOUND', 'CONFLICT'];

export interface Changed<Resource> {
  data: Resource[];
  failed: { id: string; code: string; message: string }[];
  /** What ended the work early, and the items that are left. */
  stopped: { error: unknown; ids: string[] } | null;
}

/** Changes items, one after the other; one that cannot be changed does not stop the others. */
export async function changeEach<Resource>(
  ids: readonly string[],
  change: (id: string) => Promise<Resource>,
): Promise<Changed<Resource>> {
  const changed: Changed<Resource> = { data: [], failed: [], stopped: null };
  for (const [index, id] of ids.entries()) {
    try {
      changed.data.push(await change(id));
    } catch (error) {
      if (!(error instanceof ServiceError && OF_ONE_ITEM.includes(error.code))) {
        return { ...changed, stopped: { error, ids: ids.slice(index) } };
      }
      changed.failed.push({ id, code: error.code, message: error.message });
    }
  }
  return changed;
}
