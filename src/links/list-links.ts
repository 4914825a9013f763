import { searchByStart } from '../app/search-by-start.ts';
import type { AccountId } from '../core/ids.ts';
import { rangeOfPrefix } from '../core/text-starts.ts';
import { pageOfSources, type Scope, sourcesOf } from '../programs/sources.ts';
import type { Source } from '../storage/conditions/sources.ts';
import type { Transaction } from '../storage/database.ts';
import type { PageBounds } from '../storage/list-filters.ts';
import type { Link } from './queries/links.ts';
import {
  countArchivedPartners,
  countLinksInRange,
  findLinkKeys,
  findLinks,
  findLinksInRange,
  findLinksOfIds,
  type LinkKey,
} from './queries/list-links.ts';

/** The links of so many archived partners are sorted; those of more are found soon in the order of the list. */
const SORTED_PARTNERS_MAX = 500;

/** What a list of links contains. */
interface ListedLinks extends Scope {
  /** The beginning of the key, in lower case. */
  search: string | null;
}

/** Finds a page of one partner's links, or for null of all links, newest first. */
export type FindLinks = (partnerId: string | null, bounds: PageBounds) => Promise<Link[]>;

/** Prepares a list for one page. */
export async function linkList(
  tx: Transaction,
  accountId: AccountId,
  { search, programId, archived }: ListedLinks,
  { isOfPartners }: { isOfPartners: boolean },
): Promise<FindLinks> {
  const sources = isOfPartners ? null : await sourcesOfLinks(tx, accountId, { programId, archived });
  return async (partnerId, bounds) => {
    const filters = { partnerId, programId, archived };
    if (search === null) {
      return pageOfSources(sources, bounds.limit, (source) =>
        findLinks(tx, accountId, { ...filters, ...source }, bounds),
      );
    }
    const range = rangeOfPrefix(search);
    const ids = await searchByStart<LinkKey>(
      {
        isFound: ({ key }) => key.toLowerCase().startsWith(search),
        count: (most) => countLinksInRange(tx, accountId, { range, most }),
        sorted: (slice, most) => findLinksInRange(tx, accountId, filters, { ...slice, range, most }),
        walked: (slice) =>
          pageOfSources(sources, slice.limit, (source) =>
            findLinkKeys(tx, accountId, { ...filters, ...source }, slice),
          ),
        sourceCount: sources?.length ?? 1,
        isShort: partnerId !== null,
      },
      bounds,
    );
    return findLinksOfIds(tx, accountId, ids);
  };
}

/** Like `sourcesOf`. The links of archived partners count as archived, too. */
async function sourcesOfLinks(tx: Transaction, accountId: AccountId, scope: Scope): Promise<Source[] | null> {
  const sources = await sourcesOf(tx, accountId, scope);
  if (sources === null || scope.archived !== 'yes') return sources;
  const partners = await countArchivedPartners(tx, accountId, SORTED_PARTNERS_MAX + 1);
  if (partners === 0) return sources;
  if (partners <= SORTED_PARTNERS_MAX) return [...sources, { source: 'of archived partners', sourceId: '' }];
  return scope.programId === null ? null : sourcesOf(tx, accountId, { ...scope, archived: null });
}
