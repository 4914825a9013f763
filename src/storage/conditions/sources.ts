import { type Filters, type Walk, walkOf } from '../list-filters.ts';

/**
 * Rows of a list that an index holds in the order of ids, by their own state: those in use or archived of the program
 * `sourceId`; all archived ones of the account; or those of its archived partners, which are sorted.
 */
export const SOURCES = ['in use', 'archived', 'archived of account', 'of archived partners'] as const;

/** One of them, as filters of the list. */
export interface Source {
  source: (typeof SOURCES)[number];
  /** A program, or '' for the whole account. */
  sourceId: string;
}

/** The walk of the source that the filters name, which leads after the filters that match fewer rows. */
export function walkOfSource(alias: string, filters: Filters): Walk {
  const archived = `${alias}.archived_at IS NOT NULL`;
  const walks: Readonly<Record<Source['source'], Walk>> = {
    'in use': walkOf(
      alias,
      `${alias}.program_id = @sourceId AND ${alias}.archived_at IS NULL AND ${alias}.deleted_at IS NULL`,
    ),
    archived: walkOf(alias, `${alias}.program_id = @sourceId AND ${archived}`),
    'archived of account': walkOf(alias, `${alias}.account_id = @accountId AND ${archived}`),
    'of archived partners': walkOfArchivedPartners(alias),
  };
  return { ...walks[(filters.source ?? 'in use') as Source['source']], from: `${alias}.id >= @fromId` };
}

/** Conditions on the id that no index serves, so that each engine reads the rows of the partners and sorts them. */
function walkOfArchivedPartners(alias: string): Walk {
  const partners = 'SELECT a.id FROM partners a WHERE a.account_id = @accountId AND a.archived_at IS NOT NULL';
  return {
    conditions: `${alias}.partner_id IN (${partners})`,
    before: `COALESCE(${alias}.id < @beforeId, FALSE)`,
    order: `ORDER BY ${alias}.id || '' DESC`,
    sortedBy: 'id',
  };
}
