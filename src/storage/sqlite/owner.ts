import { chownSync, statSync } from 'node:fs';

/**
 * Gives a file that root has created beside a database to the database's owner, as SQLite does with its log: root may
 * run commands, such as a nightly backup, but the server is another user, who could not read the file.
 */
export function giveToOwnerOf(databasePath: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(databasePath);
  try {
    chownSync(file, uid, gid);
  } catch {
    // root of a container without that capability
  }
}
