import type { AccountId } from '../core/ids.ts';
import type { ArchivedFilter } from '../schema/archived-field.ts';
import type { Source } from '../storage/conditions/sources.ts';
import type { Transaction } from '../storage/database.ts';
import { findProgramIds, findProgramState } from './queries/programs.ts';

/** Merging more pages would take longer than it saves: an account has few programs. */
const SOURCES_MAX = 16;

/** What a list of partners or links contains. */
export interface Scope {
  programId: string | null;
  /** A row counts as archived when it is archived itself, or its program is. */
  archived: ArchivedFilter;
}

/**
 * Sources that together contain all rows of a list, and perhaps others; null when the whole account has to be walked,
 * because the list contains everything, or programs are too many.
 */
export async function sourcesOf(
  tx: Transaction,
  accountId: AccountId,
  { programId, archived }: Scope,
): Promise<Source[] | null> {
  if (programId !== null) return sourcesOfProgram(tx, accountId, { programId, archived });
  if (archived === null) return null;
  const programs = await findProgramIds(tx, accountId, { archived, limit: SOURCES_MAX + 1 });
  if (programs.length > SOURCES_MAX) return null;
  const inUse = programs.map((id): Source => ({ source: 'in use', sourceId: id }));
  return archived === 'no' ? inUse : [{ source: 'archived of account', sourceId: '' }, ...inUse];
}

async function sourcesOfProgram(
  tx: Transaction,
  accountId: AccountId,
  { programId, archived }: { programId: string; archived: ArchivedFilter },
): Promise<Source[]> {
  const program = await findProgramState(tx, accountId, programId);
  if (program === undefined) return [];
  const isProgramArchived = program.archived === 'yes';
  const inUse: Source = { source: 'in use', sourceId: programId };
  const archivedRows: Source = { source: 'archived', sourceId: programId };
  if (archived === 'no') return isProgramArchived ? [] : [inUse];
  if (archived === 'yes' && !isProgramArchived) return [archivedRows];
  return [inUse, archivedRows];
}

/**
 * One page of the rows of all sources, newest first; a row may be in several.
 *
 * @param find the first `limit` rows of one source; of the whole list for null
 */
export async function pageOfSources<Row extends { id: string }>(
  sources: readonly Source[] | null,
  limit: number,
  find: (source: Source | null) => Promise<Row[]>,
): Promise<Row[]> {
  if (sources === null) return find(null);
  const pages = await Promise.all(sources.map((source) => find(source)));
  const rows = new Map(pages.flat().map((row) => [row.id, row]));
  return [...rows.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
}
