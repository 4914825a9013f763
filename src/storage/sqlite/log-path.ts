import { realpathSync } from 'node:fs';

/** The write-ahead log of a database. SQLite keeps it beside the file itself, even when the path is a link. */
export function logPathOf(databasePath: string): string {
  return `${realpathSync(databasePath)}-wal`;
}
