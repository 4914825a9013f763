import { searchByStart } from '../app/search-by-start.ts';
import type { AccountId } from '../core/ids.ts';
import { rangesOfStart } from '../core/text-starts.ts';
import type { Source } from '../storage/conditions/sources.ts';
import type { Transaction } from '../storage/database.ts';
import { type Filters, isSet, type PageBounds } from '../storage/list-filters.ts';
import {
  countPartnersInRanges,
  findPartnerNames,
  findPartnersInRanges,
  findPartnersOfIds,
  type PartnerNames,
} from './queries/list-partners.ts';
import type { Partner } from './queries/partners.ts';
import { pageOfSources } from './sources.ts';

interface SearchedPartners {
  search: string;
  filters: Filters;
  /** They contain the partners that the filters leave; null for the whole account. */
  sources: readonly Source[] | null;
}

/**
 * Partners whose name or address begins with `search` in upper or lower case, newest first. They are compared here,
 * because SQLite knows the cases of ASCII letters only, and PostgreSQL those of its locale.
 */
export async function searchPartners(
  tx: Transaction,
  accountId: AccountId,
  { search, filters, sources }: SearchedPartners,
  bounds: PageBounds,
): Promise<Partner[]> {
  // upper case, because the lower case of a letter may depend on the next one: Σ is ς at the end of a word
  const start = search.toUpperCase();
  const ranges = rangesOfStart(search);
  const ids = await searchByStart<PartnerNames>(
    {
      isFound: ({ name, email }) => [name, email].some((text) => text.toUpperCase().startsWith(start)),
      count: (most) => countPartnersInRanges(tx, accountId, { ranges, most }),
      sorted: (slice, most) => findPartnersInRanges(tx, accountId, filters, { ...slice, ranges, most }),
      walked: (slice) =>
        pageOfSources(sources, slice.limit, (source) =>
          findPartnerNames(tx, accountId, { ...filters, ...source }, slice),
        ),
      sourceCount: sources?.length ?? 1,
      isShort: isSet(filters, 'email') || isSet(filters, 'tenantId'),
    },
    bounds,
  );
  return findPartnersOfIds(tx, accountId, ids);
}
