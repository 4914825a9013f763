/** The part of a migration that states its cost. */
interface CostedMigration {
  version: number;
  name: string;
  sql: string;
}

/** What a migration takes per million rows of a table, as its file states it. */
interface CostLine {
  table: string;
  seconds: number;
  megabytes: number;
}

/** What migrations will take on one database, about. */
export interface MigrationCost {
  seconds: number;
  /** What they write: copies of rows, new indexes, changed pages. */
  bytes: number;
}

/** What a driver knows about the size of a database without reading it. */
export interface DatabaseSize {
  /** An estimate; 0 for a table that does not exist yet. */
  rowsOf(table: string): Promise<number>;
  bytes(): Promise<number>;
}

const MEGABYTE = 1_000_000;
const MILLION = 1_000_000;
const COST_LINE = /^-- cost: (.*)$/gm;
const COST = /^(\d+) s and (\d+) MB per million rows of (\w+)$/;

/**
 * The first migration that states its cost. Of the earlier ones only `by_account` takes long, because it copies the
 * largest tables; released files never change, so its cost is recorded here.
 */
const FIRST_WITH_COST = 10;
const COPIES_EVERYTHING = 6;
const COPIED_BYTES_PER_SECOND = 60 * MEGABYTE;

/**
 * The lines `-- cost: 20 s and 600 MB per million rows of sales` of a migration; `-- cost: none` states that there is
 * nothing to wait for. The megabytes are what it writes; a temporary copy counts too.
 *
 * @throws Error when a line reads differently, or a migration from number 10 has none
 */
export function readCost({ version, name, sql }: CostedMigration): CostLine[] {
  const texts = [...sql.matchAll(COST_LINE)].map(([, text = '']) => text.trim());
  if (texts.length === 0 && version >= FIRST_WITH_COST)
    throw new Error(`Migration ${version} (${name}) states no cost`);
  return texts
    .filter((text) => text !== 'none')
    .map((text) => {
      const [, seconds, megabytes, table] = COST.exec(text) ?? [];
      if (table === undefined)
        throw new Error(`Migration ${version} (${name}) states a cost that cannot be read: ${text}`);
      return { table, seconds: Number(seconds), megabytes: Number(megabytes) };
    });
}

/** What these migrations will take on a database of this size. */
export async function estimateCost(migrations: readonly CostedMigration[], size: DatabaseSize): Promise<MigrationCost> {
  const total: MigrationCost = { seconds: 0, bytes: 0 };
  const rows = new Map<string, number>();
  for (const migration of migrations) {
    for (const { table, seconds, megabytes } of readCost(migration)) {
      const millions = (rows.get(table) ?? (await size.rowsOf(table))) / MILLION;
      rows.set(table, millions * MILLION);
      total.seconds += seconds * millions;
      total.bytes += megabytes * MEGABYTE * millions;
    }
    if (migration.version !== COPIES_EVERYTHING) continue;
    const bytes = await size.bytes();
    total.seconds += bytes / COPIED_BYTES_PER_SECOND;
    total.bytes += bytes;
  }
  return total;
}
