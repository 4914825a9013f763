import { closeSync, openSync, writeSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';

/** Damages a table or an index of a SQLite file that nobody has open: whatever reads it fails from then on. */
export function overwriteFirstPage(path: string, name: string): void {
  const database = new BetterSqlite3(path);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const bytes = database.pragma('page_size', { simple: true }) as number;
  const page = database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck().get(name) as number;
  database.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(bytes, 0xff), 0, bytes, (page - 1) * bytes);
  closeSync(file);
}
