import type { SourceClient } from './client.ts';
import { listIn, type Page, recordsOf } from './records.ts';

const PAGE_SIZE = 100;

/** A list by page number whose last page is the first that is not full. */
export function byPageNumber(
  client: SourceClient,
  path: string,
  { sizeName, filter = {}, members = [] }: { sizeName: string; filter?: Page['query']; members?: readonly string[] },
): AsyncGenerator<unknown> {
  return recordsOf(
    { ...filter, page: 1, [sizeName]: PAGE_SIZE },
    (query) => client.get(path, query),
    (answer, query) => {
      const rows = listIn(answer, ...members);
      return { rows, next: rows.length < PAGE_SIZE ? null : { ...query, page: Number(query.page) + 1 } };
    },
  );
}

/** A list that continues after the last record of a page, as long as the answer says that there is more. */
export function byLastRecord(
  client: SourceClient,
  path: string,
  filter: Page['query'],
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
