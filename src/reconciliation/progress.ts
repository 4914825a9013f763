import { ServiceError } from '../errors.ts';

/** How far a reading is, to notice a list that has no end. */
export interface Progress {
  /** Pages that were read. */
  pageCount: number;
  /** The cursor after a number of pages that was a power of two. */
  markedCursor: string | null;
}

interface Place {
  /** Where the page began that was just read; null for the first. */
  cursor: string | null;
}

/** About thirty million records: more than a list has, and few enough to end in days. */
const PAGES_MAX = 1_000_000;

/**
 * The progress after one more page. A list that goes round in a circle comes to the marked cursor again, because the mark is
 * kept for more and more pages: it is noticed after at most three times as many pages as the list has until it repeats (the
 * algorithm is Brent's). So only one cursor is stored.
 *
 * @param before before this page
 * @param cursor where the next page begins
 * @throws ServiceError `VALIDATION_ERROR` when the list has no end
 */
export function progressAfter(before: Progress & Place, cursor: string): Progress {
  const { markedCursor } = before;
  const pageCount = before.pageCount + 1;
  if (cursor === before.cursor || cursor === markedCursor) throw endless('it lists the same pages again and again');
  if (pageCount >= PAGES_MAX) throw endless(`it lists more than ${PAGES_MAX} pages`);
  return { pageCount, markedCursor: isPowerOfTwo(pageCount) ? cursor : markedCursor };
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}

function endless(problem: string): ServiceError {
  return new ServiceError(
    'VALIDATION_ERROR',
    `The API was not read to its end, because ${problem}: what was found until then stays. Check apiUrl, and what answers there`,
  );
}
