import { closeSync, openSync, writeSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { openDatabase, sqlitePathOf } from '../../../src/storage/open.ts';
import { createTestDatabase } from '../../helpers/databases.ts';

it('a damaged page is answered with advice to restore a backup, not to retry soon', async () => {
  const test = await createTestDatabase('sqlite');
  const path = sqlitePathOf(test.url) ?? '';
  await test.database.write((tx) => tx.run('CREATE TABLE things (key TEXT)'));
  await test.database.close();
  overwriteFirstPage(path, 'things');

  const damaged = await openDatabase(test.url);
  const expected = {
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/^The database is damaged\. .* restore a backup$/),
    retryAfterSeconds: 300,
  };
  await expect(damaged.read((tx) => tx.all('SELECT * FROM things'))).rejects.toMatchObject(expected);
  await expect(damaged.write((tx) => tx.run("INSERT INTO things VALUES ('a')"))).rejects.toMatchObject(expected);
  await damaged.close();
  await test.remove();
});

function overwriteFirstPage(path: string, table: string): void {
  const database = new BetterSqlite3(path);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const bytes = database.pragma('page_size', { simple: true }) as number;
  const page = database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck().get(table) as number;
  database.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(bytes, 0xff), 0, bytes, (page - 1) * bytes);
  closeSync(file);
}
