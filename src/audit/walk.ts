import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { FIRST_ID } from '../core/ids.ts';
import type { Database, Transaction } from '../storage/database.ts';

/** Rows in the order of ids are read at some 2 µs each, so that a page takes some ten milliseconds. */
export const WALK_PAGE = 5_000;
/** Fewer are not worth a report. */
const REPORTED_ROWS = 50_000;

/** Counts the rows of pages, and calls `onRows` with their number now and then. */
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

/** Reads rows in the order of their ids page by page, each of them in a transaction of its own. */
export async function* walk<Row extends { id: string }>(
  database: Database,
  read: (tx: Transaction, afterId: string, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let afterId = FIRST_ID; ; ) {
    const after = afterId;
    const rows = await database.report((tx) => read(tx, after, WALK_PAGE));
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < WALK_PAGE) return;
    afterId = last.id;
    await yieldToEventLoop();
  }
}
