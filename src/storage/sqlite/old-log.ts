import { closeSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';

/** Where a SQLite file says whether it has a write-ahead log: 2 if it has, 1 if it has none. */
const READ_VERSION_OFFSET = 19;
const WITHOUT_LOG = 1;

/**
 * Refuses a restored backup beside the write-ahead log of the file that it replaced, which SQLite would apply to it. A
 * backup says that it has no log, until it is opened for the first time; a file in use always says that it has one.
 *
 * @param databasePath of an existing file
 * @throws Error that says what to delete
 */
export function refuseOldLog(databasePath: string): void {
  const path = realpathSync(databasePath);
  // the log first: if another process opens a backup just now, the file says that it has a log before there is one
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log === undefined || log.size === 0 || readVersionOf(path) !== WITHOUT_LOG) return;
  throw new Error(
    `${path} is a restored backup, but the log beside it, ${path}-wal, belongs to the file that it replaced and would ` +
      `damage it. Nothing was changed. Delete ${path}-wal and ${path}-shm, then try again; if you keep that file, first copy ` +
      'the log beside it under its name, because its last changes may be only there',
  );
}

/**
 * True when a backup was copied over a file that this process has in use. False when the file was moved away and another
 * has its name: SQLite then leaves the log, which may hold the last changes of the file that was moved. It releases the
 * locks of all connections of this process, so call it only when the last one is about to close.
 *
 * @param inode of the file in use
 */
export function isOverwritten(databasePath: string, inode: number): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(databasePath, 'r');
  } catch {
    return false;
  }
  try {
    return fstatSync(descriptor).ino === inode && readVersionIn(descriptor) === WITHOUT_LOG;
  } finally {
    closeSync(descriptor);
  }
}

function readVersionOf(path: string): number | undefined {
  // never closed: that would release the locks that SQLite holds on the file in this process
  return readVersionIn(openSync(path, 'r'));
}

/** Undefined for an empty file. */
function readVersionIn(descriptor: number): number | undefined {
  const header = Buffer.alloc(READ_VERSION_OFFSET + 1);
  const bytes = readSync(descriptor, header, 0, header.length, 0);
  return bytes < header.length ? undefined : header[READ_VERSION_OFFSET];
}
