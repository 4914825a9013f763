import { allPages } from '../app/all-pages.ts';
import type { Database, Transaction } from '../storage/database.ts';

/** In the order of ids, a row takes about 2 µs, so that a page takes about 10 ms. */
export const WALK_PAGE = 5_000;
/** Rows between two reports of progress. */
const REPORTED_ROWS = 50_000;

/** Returns a counter for the rows of pages, which passes its total to `onRows` now and then. */
export function countRows(onRows: (count: number) => void): (rows: number) => void {
  let count = 0;
  let reported = 0;
  return (rows) => {
    count += rows;
    if (count - reported < REPORTED_ROWS) return;
    reported = count;
    onRows(count);
  };
}

/** Reads rows page by page in the order of their ids, each page in a transaction of its own. */
export function walk<Row extends { id: string }>(
  database: Database,
  read: (tx: Transaction, afterId: string, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  return allPages(WALK_PAGE, ({ afterId, limit }) => database.report((tx) => read(tx, afterId, limit)));
}
