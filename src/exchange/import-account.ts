import type { Sealer, Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { messageOf, ServiceError } from '../errors.ts';
import { restartImportedScan } from '../payments/erasure/erase-identities.ts';
import { holdMovedTransfers } from '../payouts/held.ts';
import { DatabaseFailure, type Transaction } from '../storage/database.ts';
import { checkFile, decodeRow, readLines } from './json-lines.ts';
import { type ExportedTable, type Manifest, readManifest, refused, tableFile } from './manifest.ts';
import { type RowsOfFile, requireOwnRows } from './own-rows.ts';
import { findImportedAccount, insertInto, noteImport } from './queries/insert.ts';
import type { StoredRow } from './queries/walk.ts';
import { createResealing, type LostSecrets, type Resealing } from './reseal.ts';
import { type Scope, TABLES } from './tables.ts';

const BATCH_ROWS = 256;
const BATCH_CHARACTERS = 4_000_000;
const COLUMN = /^[a-z][a-z0-9_]*$/;

export interface ImportOptions {
  folder: string;
  /** Inserts everything, then rolls it back. */
  isDryRun: boolean;
  /** The sealer of the exported service, if it had another key. */
  sourceSealer: Sealer | null;
  /** Called while files are checked and rows are inserted. */
  onProgress?: (doing: 'checked' | 'imported', table: string, rows: number) => void;
}

export interface ImportedAccount extends LostSecrets {
  account: { id: AccountId; name: string };
  rows: number;
  /** False when nothing was stored: a dry run, or an export that was imported before. */
  imported: boolean;
  alreadyImported: boolean;
}

/**
 * Imports an export of Refbridge under the same ids, in one transaction: after a crash, nothing of it is stored. An
 * export that was imported before changes nothing.
 *
 * @throws ServiceError `VALIDATION_ERROR` for a damaged or foreign export; `CONFLICT` when the account, or one of its
 *   links, is already in the database
 */
export async function importAccount(service: Service, options: ImportOptions): Promise<ImportedAccount> {
  const { database } = service;
  const manifest = await readManifest(options.folder, database.schemaVersion);
  const { id, name } = manifest.account;
  // from here on, the id is used only where its row exists
  const account = { id: id as AccountId, name };
  const resealing = createResealing(service.sealer, options.sourceSealer);
  const result = { account, rows: manifest.rows, ...resealing.lost };
  if (await wasImported(service, manifest)) return { ...result, imported: false, alreadyImported: true };
  await checkFiles(manifest, options);
  try {
    await database.bulk(async (tx) => {
      await insertTables(tx, manifest, { ...options, resealing });
      await holdMovedTransfers(tx, account.id, service.clock());
      await restartImportedScan(tx, account.id);
      await noteImport(tx, account.id, manifest.exportId);
      if (options.isDryRun) throw new DryRunEnds();
      // what is left out now cannot be imported later
      if (resealing.isWrongKey()) {
        throw refused('The given key opens no secret of this export: name the key of its source. Nothing was imported');
      }
    });
  } catch (error) {
    if (!(error instanceof DryRunEnds)) throw error;
  }
  return { ...result, imported: !options.isDryRun, alreadyImported: false };
}

/** Rolls the transaction back. */
class DryRunEnds extends Error {}

/** @throws ServiceError `CONFLICT` when the account exists, but not because of this import */
async function wasImported({ database }: Service, { account, exportId }: Manifest): Promise<boolean> {
  const found = await database.read((tx) => findImportedAccount(tx, account.id));
  if (found === undefined) return false;
  if (found.exportId === exportId) return true;
  throw new ServiceError(
    'CONFLICT',
    `The account ${account.id} (${account.name}) is in this database already, and nothing was changed: ` +
      'import into a database without it',
  );
}

async function checkFiles({ tables }: Manifest, { folder, onProgress = () => {} }: ImportOptions): Promise<void> {
  let rows = 0;
  for (const table of tables) {
    const path = tableFile(folder, table.name);
    const found = await checkFile(path).catch((error: unknown) => {
      throw refused(`${path} cannot be read: copy the whole export, then try again`, error);
    });
    if (found.sha256 !== table.sha256 || found.rows !== table.rows) {
      throw refused(
        `${path} differs from what was exported: ${found.rows} rows instead of ${table.rows}, SHA-256 ${found.sha256} instead of ` +
          `${table.sha256}. Copy the export again; nothing was imported`,
      );
    }
    rows += found.rows;
    onProgress('checked', table.name, rows);
  }
}

async function insertTables(
  tx: Transaction,
  { account, tables }: Manifest,
  { folder, resealing, onProgress = () => {} }: ImportOptions & { resealing: Resealing },
): Promise<void> {
  let rows = 0;
  for (const exchanged of TABLES) {
    const { name } = exchanged;
    const { rows: expected } = tables.find((table) => table.name === name) as ExportedTable;
    const inserts = new Map<string, ReturnType<typeof insertInto>>();
    let inserted = 0;
    let leftOut = 0;
    const belongs = (row: StoredRow) => belongsByItself(row, exchanged.scope, account.id);
    for await (const batch of batchesOf(tableFile(folder, name), name, belongs)) {
      await requireOwnRows(tx, account.id, exchanged, batch);
      const stored = batch.rows.map((row) => resealing.reseal(name, row)).filter((row) => row !== null);
      leftOut += batch.rows.length - stored.length;
      if (stored.length === 0) continue;
      const columns = Object.keys(stored[0] as StoredRow);
      const insert = inserts.get(columns.join()) ?? insertInto(name, columns);
      inserts.set(columns.join(), insert);
      inserted += await insert(tx, stored).catch((error: unknown) => {
        throw asConflict(error, name);
      });
      onProgress('imported', name, rows + inserted);
    }
    if (inserted + leftOut !== expected)
      throw refused(`${name}: ${inserted} rows were stored, but ${expected} were exported`);
    rows += inserted;
  }
}

/** Rows that can be inserted together: of the exported account, and with the same columns. */
async function* batchesOf(
  path: string,
  table: string,
  belongs: (row: StoredRow) => boolean,
): AsyncGenerator<RowsOfFile> {
  let batch: StoredRow[] = [];
  let characters = 0;
  let columns = '';
  let line = 0;
  for await (const text of readLines(path)) {
    line += 1;
    const row = rowOf(text, `${table}, line ${line}`, belongs);
    const own = Object.keys(row).join();
    if (batch.length > 0 && (own !== columns || batch.length === BATCH_ROWS || characters > BATCH_CHARACTERS)) {
      yield { rows: batch, line: line - batch.length };
      batch = [];
      characters = 0;
    }
    columns = own;
    batch.push(row);
    characters += text.length;
  }
  if (batch.length > 0) yield { rows: batch, line: line - batch.length + 1 };
}

function rowOf(text: string, place: string, belongs: (row: StoredRow) => boolean): StoredRow {
  let row: StoredRow;
  try {
    row = decodeRow(text);
  } catch (error) {
    throw refused(`${place} ${messageOf(error)}`, error);
  }
  const unknown = Object.keys(row).find((column) => !COLUMN.test(column));
  if (unknown !== undefined || Object.keys(row).length === 0) throw refused(`${place} names no columns of a table`);
  if (!belongs(row)) {
    throw refused(`${place} belongs to the account ${row.account_id ?? row.id}, which is not the exported one`);
  }
  return row;
}

/**
 * Whether a row's own columns show that it may be the account's; for a row with a parent, only the database shows which
 * account the parent belongs to.
 */
function belongsByItself(row: StoredRow, { by }: Scope, accountId: string): boolean {
  if (by === 'account' || by === 'account, unindexed') return row.account_id === accountId;
  if (by === 'itself') return row.id === accountId;
  return row.account_id === undefined || row.account_id === accountId;
}

/**
 * A row that cannot be stored is not a bug: it conflicts with another account's row, such as a link with the same
 * address.
 */
function asConflict(error: unknown, table: string): unknown {
  if (error instanceof ServiceError || error instanceof DatabaseFailure || !(error instanceof Error)) return error;
  return new ServiceError(
    'CONFLICT',
    `A row of ${table} cannot be stored beside what is in the database (${error.message}), so nothing was imported: ` +
      'import into an empty database',
    { cause: error },
  );
}
