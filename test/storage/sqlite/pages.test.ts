import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.ts';

it.each([
  ['a new file', null, 2_048],
  ['a file that exists', 4_096, 4_096],
])('%s has its page size, and a checkpoint after 16 MiB of log', async (_, made, bytes) => {
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-pages-'));
  const path = join(folder, 'pages.db');
  if (made !== null) {
    const maker = new BetterSqlite3(path);
    maker.exec(`PRAGMA page_size = ${made}; CREATE TABLE something (id)`);
    maker.close();
  }
  const connection = new SqliteConnection(path, { readonly: false, busyTimeoutMs: 0 });
  connection.executeScript('CREATE TABLE more (id)');
  expect(connection.pragma('page_size')).toBe(bytes);
  expect(connection.pragma('wal_autocheckpoint')).toBe((16 * 1024 * 1024) / bytes);
  connection.close();
  rmSync(folder, { recursive: true });
});
