import { z } from 'zod';
import type { IdPrefix } from '../core/ids.ts';
import type { PageBounds } from '../storage/list-filters.ts';

/** One page of a list as answered; `nextCursor` is null on the last page. */
export interface Page<Resource> {
  data: Resource[];
  nextCursor: string | null;
}

const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 20;

/**
 * The query parameters of every list, to spread beside its filters. `limit` is 1 to 100, 20 by default. A cursor is the
 * last id shown; it defaults to an id that sorts after all others of its prefix, so that one SQL text serves every page.
 */
export function pageFields(prefix: IdPrefix) {
  return {
    limit: z
      .string()
      .refine(isLimit, `must be a whole number from 1 to ${LIMIT_MAX}`)
      .meta({ type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT })
      .optional()
      .transform((limit) => Number(limit ?? LIMIT_DEFAULT))
      .describe('The maximum number of items.'),
    cursor: z
      .string()
      .regex(new RegExp(`^${prefix}_[0-9a-f]{32}$`), 'must be the nextCursor of an earlier answer')
      .optional()
      .transform((cursor) => cursor ?? `${prefix}_z`)
      .describe('The `nextCursor` of the previous page; leave it out for the first page.'),
  };
}

function isLimit(value: string): boolean {
  return /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= LIMIT_MAX;
}

/** A list without filters. */
export function pageInput(prefix: IdPrefix) {
  return z.object(pageFields(prefix));
}

/** The parsed query of a list. */
export interface PageQuery {
  limit: number;
  cursor: string;
}

/**
 * One page of the rows that `find` returns, each converted by `asResource`. Asks `find` for one row more than the page
 * holds, which shows whether another page follows.
 */
export async function pageOf<Row extends { id: string }, Resource>(
  { limit, cursor }: PageQuery,
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

/** The schema of a page of these resources; `id` names it in the OpenAPI document. */
export function pageOfSchema<Resource extends z.ZodType>(resource: Resource, id: string) {
  return z
    .object({
      data: z.array(resource),
      nextCursor: z.string().nullable().describe('Send it as `cursor` for the next page; null on the last page.'),
    })
    .meta({ id });
}
