import { z } from 'zod';
import { refused } from '../manifest.ts';
import type { Query, SourceClient } from './client.ts';
import { idField, listIn, recordsOf } from './records.ts';

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

/**
 * A list that continues after the last record of a page, as long as the answer says that there is more. `idName`: the
 * member that identifies a record.
 *
 * @throws ServiceError `VALIDATION_ERROR` when it would begin anew, and never end
 */
export function byLastRecord(
  client: SourceClient,
  path: string,
  filter: Query,
  read: { rows(answer: unknown): readonly unknown[]; hasMore(answer: unknown): boolean; idName: 'id' | 'key' },
): AsyncGenerator<unknown> {
  return recordsOf(
    { ...filter, limit: PAGE_SIZE },
    (query) => client.get(path, query),
    (answer, query) => {
      const rows = read.rows(answer);
      if (rows.length === 0 || !read.hasMore(answer)) return { rows, next: null };
      const id = z.object({ [read.idName]: idField }).safeParse(rows.at(-1)).data?.[read.idName];
      if (id !== undefined && id !== query.starting_after) return { rows, next: { ...query, starting_after: id } };
      throw refused(`${path} does not say where its next page begins: has the API changed?`);
    },
  );
}
