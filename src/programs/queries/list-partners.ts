import type { AccountId } from '../../core/ids.ts';
import type { TextRange } from '../../core/text-starts.ts';
import { walkOfSource } from '../../storage/conditions/sources.ts';
import { inEachRange, rangeParameters } from '../../storage/conditions/start-search.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  listParameters,
  narrowSql,
  type PageBounds,
  pageSql,
  rowConditions,
  walkOf,
  walkOfPeriod,
} from '../../storage/list-filters.ts';
import { manyIds } from '../../storage/many-ids.ts';
import { asPartner, type Partner, type PartnerRow, SELECT_PARTNER } from './partners.ts';

/** Whether the partner `p` or its program is archived. */
const IS_ARCHIVED = `CASE WHEN p.archived_at IS NULL
  AND (SELECT a.archived_at FROM programs a WHERE a.id = p.program_id) IS NULL THEN 'no' ELSE 'yes' END`;

const OF_PROGRAMS = 'p.program_id IN (SELECT g.id FROM programs g WHERE g.account_id = @accountId)';

const COLUMNS = { email: 'p.email', tenantId: 'p.tenant_id', programId: 'p.program_id', archived: IS_ARCHIVED };
const NARROW = { time: 'p.created_at', columns: {} };

/** An address or tenant id is unique within a program. */
function listed(filters: Filters): string {
  const walks = {
    email: walkOf('p', `${OF_PROGRAMS} AND p.email = @email`),
    tenantId: walkOf('p', `${OF_PROGRAMS} AND p.tenant_id = @tenantId`),
    source: walkOfSource('p', filters),
    period: walkOfPeriod('p'),
  };
  return `p.deleted_at IS NULL AND ${pageSql(filters, { alias: 'p', columns: COLUMNS, walks, narrow: NARROW })}`;
}

/**
 * Newest first. Filters: `email tenantId programId archived`, of which `email` is in lower case, and a source that
 * contains the rows.
 */
export async function findPartners(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  bounds: PageBounds,
): Promise<Partner[]> {
  const parameters = { accountId, ...listParameters(filters, bounds) };
  const rows = await tx.all<PartnerRow>(`${SELECT_PARTNER} WHERE ${listed(filters)}`, parameters);
  return rows.map(asPartner);
}

/** What a search compares. */
export type PartnerNames = Pick<Partner, 'id' | 'name' | 'email'>;

/** What a search compares of the partners that `findPartners` would return. */
export function findPartnerNames(tx: Transaction, accountId: AccountId, filters: Filters, bounds: PageBounds) {
  return tx.all<PartnerNames>(`SELECT p.id, p.name, p.email FROM partners p WHERE ${listed(filters)}`, {
    accountId,
    ...listParameters(filters, bounds),
  });
}

/** Ranges of names and addresses, and how many entries of the indexes count. */
interface PartnerRanges {
  ranges: readonly TextRange[];
  most: number;
}

const SEARCHED = ['p.name', 'p.email'];

/**
 * What a search compares of the partners that `findPartners` would return, of the newest `most` whose name or address
 * is in one of these ranges; ignores a source. Reads all entries of the indexes in the ranges: the expression on the id
 * keeps both engines from reading the partners of the account in its order.
 */
export function findPartnersInRanges(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  { ranges, most, ...bounds }: PageBounds & PartnerRanges,
) {
  const entries = inEachRange(
    SEARCHED,
    (inRange) => `SELECT p.id || '' AS id FROM partners p
      WHERE p.account_id = @accountId AND ${inRange} AND COALESCE(p.id < @beforeId, FALSE)`,
  );
  const others = rowConditions(filters, COLUMNS) + narrowSql(filters, { narrow: NARROW });
  return tx.all<PartnerNames>(
    `SELECT p.id, p.name, p.email
     FROM (SELECT DISTINCT f.id FROM (${entries}) f ORDER BY f.id DESC LIMIT @most) n CROSS JOIN partners p
     WHERE p.id = n.id AND p.deleted_at IS NULL${others} ORDER BY n.id DESC LIMIT @limit`,
    { accountId, most, ...listParameters(filters, bounds), ...rangeParameters(ranges) },
  );
}

// by id alone: where most accounts are small, PostgreSQL would read the index by account, of a large account too
const rowsOfIds = manyIds<PartnerRow>(
  (list) => `${SELECT_PARTNER} WHERE p.id IN ${list} AND p.account_id || '' = @accountId`,
);

/** The account's partners with these ids, newest first. */
export async function findPartnersOfIds(tx: Transaction, accountId: AccountId, ids: readonly string[]) {
  const rows = await rowsOfIds(tx, ids, { accountId });
  return rows.map(asPartner).sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** The number of names and addresses in these ranges, including those of deleted partners; counts up to `most`. */
export async function countPartnersInRanges(
  tx: Transaction,
  accountId: AccountId,
  { ranges, most }: PartnerRanges,
): Promise<number> {
  // each with a limit, because PostgreSQL would start parallel workers for a large range
  const entries = inEachRange(
    SEARCHED,
    (inRange) => `SELECT e.one FROM (SELECT 1 AS one FROM partners p
      WHERE p.account_id = @accountId AND ${inRange} LIMIT @most) e`,
  );
  const row = await tx.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM (SELECT f.one FROM (${entries}) f LIMIT @most) c`,
    { accountId, most, ...rangeParameters(ranges) },
  );
  return row?.count ?? 0;
}
