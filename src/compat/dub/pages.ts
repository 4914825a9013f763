import { z } from 'zod';
import { BoundedCache } from '../../app/bounded-cache.ts';
import type { Page } from '../../app/page.ts';
import type { Callers } from '../../app/route.ts';
import type { Service } from '../../app/service.ts';
import type { IdPrefix } from '../../core/ids.ts';
import { validationError } from '../../errors.ts';
import { optional, text } from '../../schema/fields.ts';

const SIZE_MAX = 100;
const PAGE_MAX = 10_000;
/** The number of pages that may be skipped. Their rows must be read, because our lists continue from a row. */
const SKIPPED_MAX = 100;
/** How long a reader may wait between two pages. */
const CURSOR_MS = 5 * 60_000;

/** The query parameters of every list. */
export const dubPageFields = {
  page: wholeNumberText(1, PAGE_MAX, 1),
  pageSize: wholeNumberText(1, SIZE_MAX, SIZE_MAX),
  startingAfter: optional(text()),
  endingBefore: optional(text()).refine((id) => id === null, 'is not supported by Refbridge; use startingAfter'),
};

/** The parsed query of a page. */
export interface DubPageQuery {
  page: number;
  pageSize: number;
  startingAfter: string | null;
}

/**
 * For a list of which the package asks for the next page by `startingAfter`: it keeps sending the `page` that it began
 * with, which would leave out others.
 */
export function continued({ page, pageSize, startingAfter }: DubPageQuery): DubPageQuery {
  return { page: startingAfter === null ? page : 1, pageSize, startingAfter };
}

/** Who reads a list. */
export type DubReader = Pick<Callers['api-key-only'], 'accountId' | 'actor'>;

/** One of our lists, and what distinguishes it from other lists. */
export interface PagedList<Row> {
  reader: DubReader;
  prefix: IdPrefix;
  filters: unknown;
  find(page: { limit: number; cursor: string }): Promise<Page<Row>>;
}

/** The cursors at which the pages start that may be requested next. */
const createPageStarts = ({ clock }: Service) =>
  new BoundedCache<string, string>({ entriesMax: 2_000, maxAgeMs: CURSOR_MS, clock });

/**
 * The rows of a numbered page. Our lists continue from the last row, so the start of the following page is cached. An
 * API key that takes one page after the other from one process sees each row once, whatever is added in the meantime,
 * unless it reads the same list twice at once.
 *
 * @throws ServiceError `VALIDATION_ERROR` for a page far beyond those that were read
 */
export async function findDubPage<Row>(
  service: Service,
  { page, pageSize: limit, startingAfter }: DubPageQuery,
  { reader: { accountId, actor }, prefix, filters, find }: PagedList<Row>,
): Promise<Row[]> {
  const starts = service.state(createPageStarts);
  const nameOf = (number: number) => JSON.stringify([accountId, actor, prefix, filters, startingAfter, limit, number]);
  let at = page;
  while (at > 1 && starts.get(nameOf(at)) === undefined) at -= 1;
  if (page - at > SKIPPED_MAX) {
    throw validationError([{ path: 'page', message: 'is too high: read page by page, or use startingAfter' }]);
  }
  let cursor: string | null = at > 1 ? (starts.get(nameOf(at)) ?? null) : firstCursor(prefix, startingAfter);
  for (; cursor !== null; at += 1) {
    const { data, nextCursor }: Page<Row> = await find({ limit, cursor });
    if (nextCursor !== null) starts.set(nameOf(at + 1), nextCursor);
    if (at === page) return data;
    cursor = nextCursor;
  }
  return [];
}

function firstCursor(prefix: IdPrefix, startingAfter: string | null): string {
  if (startingAfter === null) return `${prefix}_z`;
  if (new RegExp(`^${prefix}_[0-9a-f]{32}$`).test(startingAfter)) return startingAfter;
  throw validationError([{ path: 'startingAfter', message: 'must be the id of an item of this list' }]);
}

function wholeNumberText(min: number, max: number, usual: number) {
  return z
    .string()
    .refine(
      (value) => /^\d{1,6}$/.test(value) && Number(value) >= min && Number(value) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .optional()
    .transform((value) => (value === undefined ? usual : Number(value)));
}

/** A filter that would change the list, but that Refbridge cannot apply. */
export const unofferedFilter = z
  .unknown()
  .refine((value) => value === undefined || value === '', 'is not supported by Refbridge; leave it out')
  .optional();
