import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';

const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a consistent snapshot of a SQLite database that may be in use into one file that `file:` opens. The destination
 * appears complete or not at all.
 *
 * @param verify reads the whole copy and checks its structure and foreign keys
 * @throws Error when the destination exists, or the copy fails the check
 */
export async function backupDatabase(databasePath: string, destination: string, verify: boolean): Promise<void> {
  if (existsSync(destination)) throw new Error(`${destination} already exists; a backup overwrites nothing`);
  const partial = `${destination}.partial`;
  await rm(partial, { force: true });
  try {
    const source = new BetterSqlite3(databasePath, { readonly: true, fileMustExist: true });
    try {
      // In one step: a commit of another process between two steps restarts the copy, under load for ever.
      await source.backup(partial, { progress: () => ALL_PAGES });
    } finally {
      source.close();
    }
    finishCopy(partial, verify);
    await rename(partial, destination);
    await syncFolder(dirname(destination));
  } finally {
    await rm(partial, { force: true });
  }
}

function finishCopy(path: string, verify: boolean): void {
  const copy = new BetterSqlite3(path);
  try {
    // Without WAL mode, the copy is a single file.
    copy.pragma('journal_mode = DELETE');
    if (!verify) return;
    const integrity = copy.pragma('integrity_check(1)', { simple: true });
    const orphans = copy.pragma('foreign_key_check');
    if (integrity !== 'ok') throw new Error(`The copy is damaged: ${integrity}`);
    if (Array.isArray(orphans) && orphans.length > 0) {
      throw new Error(`${orphans.length} rows of the copy refer to rows that do not exist`);
    }
  } finally {
    copy.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
