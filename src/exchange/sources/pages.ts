import type { Query, SourceClient } from './client.ts';
import { listIn, recordsOf } from './records.ts';

export const PAGE_SIZE = 100;

/** A list by page number whose last page is the first that is not full; an answer is the list, unless `rowsIn` finds it. */
export function byPageNumber(
  client: SourceClient,
  path: string,
  { sizeName, filter = {}, rowsIn = listIn }: Numbered,
): AsyncGenerator<unknown> {
  return recordsOf(
    { ...filter, page: 1, [sizeName]: PAGE_SIZE },
    (query) => client.get(path, query),
    (answer, query) => {
      const rows = rowsIn(answer);
      return { rows, next: rows.length < PAGE_SIZE ? null : { ...query, page: Number(query.page) + 1 } };
    },
  );
}

interface Numbered {
  /** The parameter of the page's size. */
  sizeName: string;
  filter?: Query;
  rowsIn?: (answer: unknown) => readonly unknown[];
}

/** A list that continues after the last record of a page, as long as the answer says that there is more. */
export function byLastRecord(
  client: SourceClient,
  path: string,
  filter: Query,
  read: { rows(answer: unknown): readonly unknown[]; hasMore(answer: unknown): boolean; idOf(record: unknown): string },
): AsyncGenerator<unknown> {
  return recordsOf(
    { ...filter, limit: PAGE_SIZE },
    (query) => client.get(path, query),
    (answer, query) => {
      const rows = read.rows(answer);
      const last = rows.at(-1);
      const goesOn = last !== undefined && read.hasMore(answer);
      return { rows, next: goesOn ? { ...query, starting_after: read.idOf(last) } : null };
    },
  );
}
