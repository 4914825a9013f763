import { chmod, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../app/create-folder.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { beginManifest } from './begin-manifest.ts';
import { encodeRow } from './json-lines.ts';
import { type ExportedTable, MANIFEST_FILE, type Manifest, TABLES_FOLDER, tableFile } from './manifest.ts';
import { pagesOf } from './pages.ts';
import { findPeopleCsv, headingsOf, linesOf } from './people-csv.ts';
import { PrivateFile } from './private-file.ts';
import { type ExchangedTable, TABLES } from './tables.ts';

const FOLDER_MODE = 0o700;

export interface ExportOptions {
  /** Created when missing; must be empty. */
  folder: string;
  programVersion: string;
  /** Called after each page with the table and the total number of rows written. */
  onProgress?: (table: string, rows: number) => void;
}

/**
 * Writes everything of an account into a folder: a JSON-lines file per table, some CSV files for people, and the
 * manifest, last. All rows are from one moment, and a server may keep running. Secrets stay sealed with the service's
 * key.
 *
 * @throws ServiceError `NOT_FOUND` without such an account; `CONFLICT` when the folder is not empty, or a file
 */
export async function exportAccount(
  service: Pick<Service, 'database' | 'clock'>,
  accountId: AccountId,
  { folder, programVersion, onProgress = () => {} }: ExportOptions,
): Promise<Manifest> {
  await prepareFolder(folder);
  const { database } = service;
  return database.snapshot(async (tx) => {
    const manifest = await beginManifest(service, tx, accountId, programVersion);
    for (const table of TABLES) {
      const written = await writeTable(tx, accountId, {
        table,
        folder,
        onRows(count) {
          onProgress(table.name, manifest.rows + count);
        },
      });
      manifest.rows += written.table.rows;
      manifest.tables.push(written.table);
      if (written.csv !== null) manifest.csv.push(written.csv);
    }
    await writeManifest(folder, manifest);
    return manifest;
  });
}

interface TableWriting {
  table: ExchangedTable;
  folder: string;
  onRows(count: number): void;
}

async function writeTable(
  tx: Transaction,
  accountId: AccountId,
  { table, folder, onRows }: TableWriting,
): Promise<{ table: ExportedTable; csv: Manifest['csv'][number] | null }> {
  const people = findPeopleCsv(table.name);
  const file = await PrivateFile.create(tableFile(folder, table.name));
  const csvFile = people && (await PrivateFile.create(join(folder, people.file)));
  try {
    if (people !== undefined) await csvFile?.write(headingsOf(people));
    let count = 0;
    for await (const rows of pagesOf(tx, accountId, table)) {
      for (const row of rows) await file.write(encodeRow(row));
      for (const line of people === undefined ? [] : linesOf(people, rows)) await csvFile?.write(line);
      count += rows.length;
      onRows(count);
    }
    const written = await file.finish();
    const lines = (await csvFile?.finish())?.rows ?? 1;
    return {
      table: { name: table.name, ...written },
      csv: people === undefined ? null : { file: people.file, rows: lines - 1 },
    };
  } catch (error) {
    await file.abandon();
    await csvFile?.abandon();
    throw error;
  }
}

async function prepareFolder(folder: string): Promise<void> {
  if (await isFile(folder)) throw new ServiceError('CONFLICT', `${folder} is a file: name a new folder`);
  createFolder(folder, FOLDER_MODE);
  if ((await readdir(folder)).length > 0) {
    throw new ServiceError('CONFLICT', `${folder} is not empty: name a new folder, nothing is overwritten`);
  }
  await chmod(folder, FOLDER_MODE);
  await mkdir(join(folder, TABLES_FOLDER), { mode: FOLDER_MODE });
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => !found.isDirectory(),
    () => false,
  );
}

/** Appears complete or not at all; without the manifest, the folder is not an export. */
async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${MANIFEST_FILE}.part`);
  const file = await PrivateFile.create(draft);
  await file.write(`${JSON.stringify(manifest, null, 2)}\n`);
  await file.finish();
  await rename(draft, join(folder, MANIFEST_FILE));
}
