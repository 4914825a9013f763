import { z } from 'zod';
import type { IdPrefix } from '../core/ids.ts';
import { HOUR_MS } from '../core/time.ts';
import { idsFrom } from '../ids.ts';
import { requirePeriod } from '../schema/period-fields.ts';
import type { Filters, Narrowing, PageBounds, RowOrder } from '../storage/list-filters.ts';

/** One page of a list as answered; `nextCursor` is null on the last page. */
export interface Page<Resource> {
  data: Resource[];
  nextCursor: string | null;
}

const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 20;

/**
 * The query parameters of every list, to spread next to its filters. `limit` is 1 to 100, 20 by default. A cursor is
 * the last id shown; it defaults to an id that sorts after all others of its prefix, so that one SQL text serves every
 * page.
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
  /** Only rows created from `from` (included) to `to` (excluded), in epoch milliseconds. */
  from?: number | null;
  to?: number | null;
  /** Values that narrow the list, by parameter; null matches any value. */
  values?: Narrowing['values'];
}

/**
 * An id contains the time of its creation, so a period needs no index of its own. The clocks of several processes, and
 * the moments at which a row gets its id and its time, differ by less than this.
 */
const ID_TIME_TOLERANCE_MS = HOUR_MS;

/**
 * One page of the rows that `find` returns, each converted by `asResource`. Asks `find` for one row more than the page
 * holds, which shows whether another page follows.
 *
 * @throws ServiceError `VALIDATION_ERROR` when the period does not end after its start
 */
export async function pageOf<Row extends { id: string }, Resource>(
  query: PageQuery,
  find: (bounds: PageBounds) => Promise<Row[]>,
  asResource: (row: Row) => Resource,
): Promise<Page<Resource>> {
  const { limit } = query;
  const rows = await find(boundsOf(query));
  const shown = rows.slice(0, limit);
  return {
    data: shown.map(asResource),
    nextCursor: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  };
}

function boundsOf({ limit, cursor, from = null, to = null, values = {} }: PageQuery): PageBounds {
  requirePeriod({ from, to });
  const page = { limit: limit + 1, beforeId: cursor };
  if (from === null && to === null && Object.values(values).every((value) => value === null)) return page;
  const prefix = cursor.slice(0, cursor.indexOf('_')) as IdPrefix;
  const fromId = from === null ? '' : idsFrom(prefix, from - ID_TIME_TOLERANCE_MS);
  // only of the first page: a list by time would begin again behind an id that is none of its rows
  const isFirst = cursor === `${prefix}_z`;
  return {
    ...page,
    beforeId: isFirst && to !== null ? idsFrom(prefix, to + ID_TIME_TOLERANCE_MS) : cursor,
    narrowing: { fromId, fromAt: from ?? 0, toAt: to ?? Number.MAX_SAFE_INTEGER, values },
  };
}

/** The filters of a list query, with `narrow` when the page is narrowed, and `period` when the narrowing has a start. */
export function withNarrowing(filters: Filters, { narrowing }: PageBounds): Filters {
  const isSet = (condition: boolean) => (condition ? 'yes' : null);
  return { ...filters, narrow: isSet(narrowing !== undefined), period: isSet((narrowing?.fromId ?? '') !== '') };
}

/**
 * The rows of each of these partners, merged into one page; without partners, what `find` returns for null.
 *
 * @param sortedBy the order of the rows that `find` returns, which the next page continues
 */
export async function pageOfPartners<Row extends { id: string; createdAt: number }>(
  partnerIds: readonly string[] | null,
  { limit, sortedBy }: { limit: number; sortedBy: RowOrder },
  find: (partnerId: string | null) => Promise<Row[]>,
): Promise<Row[]> {
  if (partnerIds === null) return find(null);
  const rows: Row[] = [];
  for (const partnerId of partnerIds) rows.push(...(await find(partnerId)));
  if (partnerIds.length === 1) return rows;
  const laterBy = (a: Row, b: Row) => (sortedBy === 'time' ? b.createdAt - a.createdAt : 0);
  return rows.sort((a, b) => laterBy(a, b) || (a.id < b.id ? 1 : -1)).slice(0, limit);
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
