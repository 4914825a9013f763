import type { SealedTable } from '../app/sealed-columns.ts';
import type { Service } from '../app/service.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { findSealed, replaceSealed, SEALED_TABLES, type SealedValue } from './queries/sealed.ts';

/** Values per unit of work, because the content of a payout file can be megabytes. */
const PAGE_MAX = 20;

export interface SealedCounts {
  /** Values that the current key opens. */
  current: number;
  /** Values that only a key of `SECRET_KEY_FALLBACKS` opens. */
  fallback: number;
  /** The endpoints, partners, payout files and imports whose value no known key opens. */
  unreadable: { table: SealedTable; id: string }[];
}

/** The first encrypted value of each kind; empty when nothing is encrypted. */
export async function sampleSealed(database: Database): Promise<Buffer[]> {
  const samples = await database.read((tx) =>
    Promise.all(SEALED_TABLES.map((table) => findSealed[table](tx, { afterId: '', limit: 1 }))),
  );
  return samples.flat().map(({ sealed }) => sealed);
}

/** Which keys have encrypted what is stored in these tables, in all accounts. */
export async function countSealed(
  service: Service,
  tables: readonly SealedTable[] = SEALED_TABLES,
): Promise<SealedCounts> {
  const counts: SealedCounts = { current: 0, fallback: 0, unreadable: [] };
  for (const table of tables) {
    for await (const page of pagesOf(service, table)) addTo(counts, service, { table, page });
  }
  return counts;
}

/**
 * Encrypts with the current key what only a fallback opens. It can run beside servers, be interrupted at any time and be
 * repeated: a value changes only if it is still the one that was read.
 *
 * @param onProgress called after each page with the number of values encrypted so far
 * @returns which keys had encrypted the values before
 */
export async function reencrypt(
  service: Service,
  onProgress: (reencrypted: number) => void = () => {},
): Promise<SealedCounts> {
  const counts: SealedCounts = { current: 0, fallback: 0, unreadable: [] };
  for (const table of SEALED_TABLES) {
    for await (const page of pagesOf(service, table)) {
      const outdated = page.filter(({ sealed }) => service.sealer.keyOf(sealed) === 'fallback');
      if (outdated.length > 0) await service.database.write((tx) => replaceEach(service, tx, table, outdated));
      addTo(counts, service, { table, page });
      onProgress(counts.fallback);
    }
  }
  return counts;
}

async function* pagesOf({ database }: Service, table: SealedTable): AsyncGenerator<SealedValue[]> {
  for (let afterId = ''; ; ) {
    const page = await database.read((tx) => findSealed[table](tx, { afterId, limit: PAGE_MAX }));
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_MAX) return;
    afterId = last.id;
  }
}

/** A value that somebody else changed since it was read is left: whoever changed it used their current key. */
async function replaceEach(
  { sealer }: Service,
  tx: Transaction,
  table: SealedTable,
  outdated: readonly SealedValue[],
): Promise<void> {
  for (const { id, sealed } of outdated) {
    await replaceSealed[table](tx, { id, sealed, next: sealer.seal(sealer.open(sealed)) });
  }
}

function addTo(
  counts: SealedCounts,
  { sealer }: Service,
  { table, page }: { table: SealedTable; page: readonly SealedValue[] },
): void {
  for (const { id, sealed } of page) {
    const key = sealer.keyOf(sealed);
    if (key === null) counts.unreadable.push({ table, id });
    else counts[key] += 1;
  }
}
