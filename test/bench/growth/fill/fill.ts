/** Fills an empty database with the schema of version 9; later migrations then derive their additions from it. */
import type { Migration } from '../../../../src/storage/migrate.ts';
import { loadMigrations } from '../../../../src/storage/migrate.ts';
import { moneyTables } from './money-rows.ts';
import { Names } from './names.ts';
import { payoutTables } from './payout-rows.ts';
import { customerTables, OWNERS, ownerTables, type TableRows } from './rows.ts';
import { Shape } from './shape.ts';

/** The last schema whose tables this file knows. */
const FILLED_VERSION = 9;

/** What an engine offers to the fill. */
export interface BulkTarget {
  /** Creates the schema. */
  create(migrations: readonly Migration[]): Promise<void>;
  /** Removes the indexes that are not keys; returns the statements that recreate them. */
  dropIndexes(): Promise<string[]>;
  insert(rows: TableRows): Promise<number>;
  createIndex(statement: string): Promise<void>;
  /** Brings the database into the state in which the product keeps it. */
  finish(): Promise<void>;
}

/**
 * Writes every row in the order of its table's key and builds the indexes afterwards.
 *
 * @param until the end of the two years of history, epoch milliseconds
 */
export async function fill(
  target: BulkTarget,
  { customers, until }: { customers: number; until: number },
  say: (line: string) => void,
): Promise<void> {
  const shape = new Shape(customers, until);
  const names = new Names(shape, OWNERS.partners, OWNERS.links);
  await target.create((await loadMigrations()).slice(0, FILLED_VERSION));
  const indexes = await target.dropIndexes();
  const tables = [
    ...ownerTables(names),
    ...customerTables(shape, names),
    ...moneyTables(shape, names),
    ...payoutTables(shape, names),
  ];
  for (const rows of tables) {
    const startedAt = performance.now();
    const count = await target.insert(rows);
    say(`${rows.table}: ${count} rows, ${secondsSince(startedAt)} s`);
  }
  const startedAt = performance.now();
  for (const statement of indexes) await target.createIndex(statement);
  say(`${indexes.length} indexes, ${secondsSince(startedAt)} s`);
  await target.finish();
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}
