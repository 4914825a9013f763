import type { AccountId } from '../../core/ids.ts';
import type { TextRange } from '../../core/text-starts.ts';
import { walkOfSource } from '../../storage/conditions/sources.ts';
import { foldedText } from '../../storage/conditions/start-search.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  listParameters,
  PARTNER_OF_ACCOUNT,
  type PageBounds,
  pageSql,
  rowConditions,
  walkOf,
} from '../../storage/list-filters.ts';
import { manyIds } from '../../storage/many-ids.ts';
import { asLink, IS_ARCHIVED, type Link, type LinkRow, SELECT_LINK } from './links.ts';

const COLUMNS = { partnerId: 'l.partner_id', programId: 'l.program_id', archived: IS_ARCHIVED };

function listed(filters: Filters): string {
  const walks = {
    partnerId: walkOf('l', `l.partner_id = ${PARTNER_OF_ACCOUNT}`),
    source: walkOfSource('l', filters),
  };
  return `l.deleted_at IS NULL AND ${pageSql(filters, { alias: 'l', columns: COLUMNS, walks })}`;
}

/** Newest first. Filters: `partnerId programId archived`, and a source that contains the links. */
export async function findLinks(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  bounds: PageBounds,
): Promise<Link[]> {
  const rows = await tx.all<LinkRow>(`${SELECT_LINK} WHERE ${listed(filters)}`, {
    accountId,
    ...listParameters(filters, bounds),
  });
  return rows.map(asLink);
}

/** What a search compares. */
export type LinkKey = Pick<Link, 'id' | 'key'>;

/** What a search compares of the links that `findLinks` would return. */
export function findLinkKeys(tx: Transaction, accountId: AccountId, filters: Filters, bounds: PageBounds) {
  return tx.all<LinkKey>(`SELECT l.id, l.key FROM links l WHERE ${listed(filters)}`, {
    accountId,
    ...listParameters(filters, bounds),
  });
}

const KEY = foldedText('l.key');
const IN_RANGE = `l.account_id = @accountId AND ${KEY} >= @from AND ${KEY} < @to`;

/**
 * What a search compares of the links that `findLinks` would return, of the newest `most` whose key is in this range;
 * ignores a source. Reads all entries of the index in the range: the expression on the id keeps both engines from
 * reading the links of the account in its order.
 */
export function findLinksInRange(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  { range, most, ...bounds }: PageBounds & { range: TextRange; most: number },
) {
  return tx.all<LinkKey>(
    `SELECT l.id, l.key
     FROM (SELECT l.id || '' AS id FROM links l WHERE ${IN_RANGE} AND COALESCE(l.id < @beforeId, FALSE)
       ORDER BY l.id || '' DESC LIMIT @most) n CROSS JOIN links l
     WHERE l.id = n.id AND l.deleted_at IS NULL${rowConditions(filters, COLUMNS)} ORDER BY n.id DESC LIMIT @limit`,
    { accountId, most, ...listParameters(filters, bounds), ...range },
  );
}

// by id alone: where most accounts are small, PostgreSQL would read the index by account, of a large account too
const rowsOfIds = manyIds<LinkRow>(
  (list) => `${SELECT_LINK} WHERE l.id IN ${list} AND l.account_id || '' = @accountId`,
);

/** The account's links with these ids, newest first. */
export async function findLinksOfIds(tx: Transaction, accountId: AccountId, ids: readonly string[]): Promise<Link[]> {
  const rows = await rowsOfIds(tx, ids, { accountId });
  return rows.map(asLink).sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** The number of links, deleted ones included, whose key is in this range; counts up to `most`. */
export async function countLinksInRange(
  tx: Transaction,
  accountId: AccountId,
  { range, most }: { range: TextRange; most: number },
): Promise<number> {
  const row = await tx.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM links l WHERE ${IN_RANGE} LIMIT @most) c`,
    { accountId, most, ...range },
  );
  return row?.count ?? 0;
}

/** The number of archived partners of the account; counts up to `most`. */
export async function countArchivedPartners(tx: Transaction, accountId: AccountId, most: number): Promise<number> {
  const row = await tx.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM partners p
       WHERE p.account_id = @accountId AND p.archived_at IS NOT NULL LIMIT @most) c`,
    { accountId, most },
  );
  return row?.count ?? 0;
}
