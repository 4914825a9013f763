import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import type { Filters, PageBounds } from '../storage/list-filters.ts';
import { findPartnerNames, findPartnersOfIds, type Partner } from './queries/partners.ts';

/** The number of partners that are compared at a time. */
const SLICE_ROWS = 1_000;

/**
 * Partners whose name or address begins with `search` in upper or lower case, newest first. Reads the partners that the
 * filters leave until the page is full. They are compared here, because SQLite knows the cases of ASCII letters only,
 * and PostgreSQL those of its locale.
 */
export async function searchPartners(
  tx: Transaction,
  accountId: AccountId,
  { search, ...filters }: Filters & { search: string },
  bounds: PageBounds,
): Promise<Partner[]> {
  // upper case, because the lower case of a letter may depend on the next one: Σ is ς at the end of a word
  const start = search.toUpperCase();
  const found: string[] = [];
  for (let { beforeId } = bounds; ; ) {
    const slice = await findPartnerNames(tx, accountId, filters, { ...bounds, beforeId, limit: SLICE_ROWS });
    const matches = slice.filter(({ name, email }) =>
      [name, email].some((text) => text.toUpperCase().startsWith(start)),
    );
    found.push(...matches.map(({ id }) => id));
    const last = slice.at(-1);
    if (last === undefined || slice.length < SLICE_ROWS || found.length >= bounds.limit) break;
    beforeId = last.id;
  }
  return findPartnersOfIds(tx, accountId, found.slice(0, bounds.limit));
}
