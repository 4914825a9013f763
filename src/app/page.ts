import { z } from 'zod';
import type { IdPrefix } from '../ids.ts';
import type { PageBounds } from '../storage/list-filters.ts';

/** A list as it is answered; `nextCursor` is null on the last page. */
export interface Page<Resource> {
  data: Resource[];
  nextCursor: string | null;
}

const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 20;
const LIMIT_PROBLEM = `must be a whole number from 1 to ${LIMIT_MAX}`;

/**
 * The query parameters of every list, to be spread beside its filters. `limit` is 1 to 100, 20 by default. A cursor is
 * the last id that was shown; without one it becomes an id that sorts after all others of its prefix, so that one SQL
 * text serves every page.
 */
export function pageFields(prefix: IdPrefix) {
  return {
    limit: z
      .string()
      .regex(/^\d{1,3}$/, LIMIT_PROBLEM)
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= LIMIT_MAX, LIMIT_PROBLEM)
      .default(LIMIT_DEFAULT),
    cursor: z
      .string()
      .regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), 'must be the nextCursor of an earlier answer')
      .default(`${prefix}_z`),
  };
}

/** A list without filters. */
export function pageInput(prefix: IdPrefix) {
  return z.object(pageFields(prefix));
}

/**
 * One page of what `find` gives, each row shown by `asResource`. `find` is asked for one row more than the page holds:
 * that row tells whether another page follows.
 */
export async function pageOf<Row extends { id: string }, Resource>(
  { limit, cursor }: { limit: number; cursor: string },
  find: (bounds: PageBounds) => Promise<Row[]>,
  asResource: (row: Row) => Resource,
): Promise<Page<Resource>> {
  const rows = await find({ limit: limit + 1, beforeId: cursor });
  const shown = rows.slice(0, limit);
  return {
    data: shown.map(asResource),
    nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}
