import type { PageBounds } from '../storage/list-filters.ts';

/** The number of rows that are compared at a time. */
const SLICE_ROWS = 1_000;
/** After so many slices, a walk has found a page of anything that is frequent. */
const WALKED_SLICES_MAX = 5;

/** A search for texts that begin with some others, in a list that is sorted by id, newest first. */
export interface StartSearch<Row extends { id: string }> {
  /** True when the row begins with what is searched. */
  isFound(row: Row): boolean;
  /** The number of rows that the index by the text finds, counted up to `most`. */
  count(most: number): Promise<number>;
  /** Rows of the list, of the newest `most` that the index by the text finds. Reads all of these entries and sorts. */
  sorted(bounds: PageBounds, most: number): Promise<Row[]>;
  /** Rows of the list, whatever their text is, in its order. */
  walked(bounds: PageBounds): Promise<Row[]>;
  /** The number of sources that `walked` reads a page of. */
  sourceCount: number;
  /** True when the list itself has few rows. */
  isShort: boolean;
}

/** Reads the rows of a list, newest first, `rows` at a time. */
interface Slices<Row> {
  rows: number;
  /** Reading ends after this many slices, even when the page is not full. */
  most: number;
  find(bounds: PageBounds): Promise<Row[]>;
}

/**
 * The ids of one page of the rows that a search finds, newest first.
 *
 * Few rows are read through the index and sorted. Many fill a page early in a walk in the order of the list. When they
 * do not, because all of them are old, the entries of the index are sorted, and as few rows as possible are read.
 */
export async function searchByStart<Row extends { id: string }>(
  search: StartSearch<Row>,
  bounds: PageBounds,
): Promise<string[]> {
  const { isFound, sorted, walked, sourceCount, isShort } = search;
  const areFew = !isShort && (await search.count(SLICE_ROWS + 1)) <= SLICE_ROWS;
  if (!areFew) {
    const rows = Math.ceil(SLICE_ROWS / Math.max(sourceCount, 1));
    const page = await readPage({ rows, most: WALKED_SLICES_MAX, find: walked }, bounds, isFound);
    if (page !== null) return page;
    const newest = await sorted({ ...bounds, limit: SLICE_ROWS }, SLICE_ROWS);
    const found = newest.filter(isFound).map(({ id }) => id);
    if (found.length >= bounds.limit) return found.slice(0, bounds.limit);
  }
  const find = (slice: PageBounds) => sorted(slice, Number.MAX_SAFE_INTEGER);
  return (await readPage({ rows: SLICE_ROWS, most: Number.POSITIVE_INFINITY, find }, bounds, isFound)) ?? [];
}

/** The ids of a page of the rows that are found; null when reading ended before the page was full. */
async function readPage<Row extends { id: string }>(
  { rows, most, find }: Slices<Row>,
  bounds: PageBounds,
  isFound: (row: Row) => boolean,
): Promise<string[] | null> {
  const found: string[] = [];
  let { beforeId } = bounds;
  for (let count = 0; count < most; count += 1) {
    const slice = await find({ ...bounds, beforeId, limit: rows });
    found.push(...slice.filter(isFound).map(({ id }) => id));
    const last = slice.at(-1);
    if (last === undefined || slice.length < rows || found.length >= bounds.limit) return found.slice(0, bounds.limit);
    beforeId = last.id;
  }
  return null;
}
