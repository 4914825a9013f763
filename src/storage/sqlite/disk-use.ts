import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DiskUse } from '../database.ts';
import { giveToOwnerOf } from './owner.ts';

/**
 * Of a SQLite file. Asks the file system only, and reads no page of the file.
 *
 * @param databasePath not a link: the log lies beside the file itself
 */
export async function diskUseOf(databasePath: string): Promise<DiskUse> {
  const { bavail, bsize } = await statfs(dirname(databasePath));
  return {
    dataBytes: sizeOf(databasePath),
    logBytes: sizeOf(`${databasePath}-wal`),
    freeBytes: bavail * bsize,
    lastBackupAt: findLastBackup(databasePath),
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Records when a backup was completed, in a file beside the database: a backup reads a database that a server is using,
 * and must not wait for its turn to write.
 *
 * @throws Error when the folder cannot be written
 */
export function rememberBackup(databasePath: string, at: number): void {
  const path = recordOf(databasePath);
  const next = `${path}.partial`;
  rmSync(next, { force: true });
  const file = openSync(next, 'wx', 0o600);
  try {
    writeSync(file, `${new Date(at).toISOString()}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  giveToOwnerOf(databasePath, next);
  renameSync(next, path);
}

/** Epoch ms; 0 when there was none, or its record cannot be read. */
function findLastBackup(databasePath: string): number {
  try {
    const at = Date.parse(readFileSync(recordOf(databasePath), 'utf8').trim());
    return Number.isFinite(at) ? at : 0;
  } catch {
    return 0;
  }
}

/** Beside the file itself, because a backup may name the database by a link, and the server by another or none. */
function recordOf(databasePath: string): string {
  return `${realpathSync(databasePath)}.last-backup`;
}
