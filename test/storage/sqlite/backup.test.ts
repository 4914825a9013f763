import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, sqlitePathOf } from '../../../src/storage/open.ts';
import { backupDatabase } from '../../../src/storage/sqlite/backup.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';

describe('a backup', () => {
  let test: TestDatabase;
  let path: string;
  let destination: string;
  const countsOf = async (url: string) => {
    const database = await openDatabase(url);
    const counts = await database.read((tx) =>
      tx.get<{ left: number; right: number }>(
        "SELECT SUM(CASE WHEN name = 'left' THEN 1 ELSE 0 END) AS left, SUM(CASE WHEN name = 'right' THEN 1 ELSE 0 END) AS right FROM accounts",
      ),
    );
    await database.close();
    return counts;
  };

  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    path = sqlitePathOf(test.url) ?? '';
    destination = `${path}.backup`;
  });
  afterEach(() => test.remove());

  it('under load is a consistent snapshot: of every unit all or nothing', async () => {
    let writing = true;
    const writePair = (number: number) =>
      test.database.write(async (tx) => {
        for (const name of ['left', 'right']) {
          await tx.run('INSERT INTO accounts (id, name, created_at) VALUES (@id, @name, 0)', {
            id: `${name} ${number}`,
            name,
          });
        }
      });
    const load = (async () => {
      let number = 0;
      for (; writing || number < 200; number += 1) await writePair(number);
      return number;
    })();
    await writePair(-1);
    await backupDatabase(path, destination, true);
    writing = false;
    const written = (await load) + 1;
    const copied = await countsOf(`file:${destination}`);
    expect(copied?.left).toBeGreaterThanOrEqual(1);
    expect(copied?.left).toBeLessThanOrEqual(written);
    expect(copied?.right).toBe(copied?.left);
    expect(await countsOf(test.url)).toEqual({ left: written, right: written });
  });

  it('is one file, and leaves nothing else behind', async () => {
    await backupDatabase(path, destination, false);
    expect(readdirSync(dirname(path)).filter((file) => file.includes('backup'))).toEqual(['refbridge.db.backup']);
  });

  it('overwrites nothing', async () => {
    await backupDatabase(path, destination, false);
    await expect(backupDatabase(path, destination, false)).rejects.toThrow('already exists');
  });

  it('that fails its verification is refused and not kept', async () => {
    const careless = new BetterSqlite3(path);
    careless.pragma('foreign_keys = OFF');
    careless.exec("INSERT INTO program_origins (program_id, origin) VALUES ('prg_gone', 'https://example.com')");
    careless.close();
    await expect(backupDatabase(path, destination, true)).rejects.toThrow('1 rows of the copy refer to rows');
    expect(readdirSync(dirname(path)).filter((file) => file.includes('backup'))).toEqual([]);
  });

  it('of a missing database is refused', async () => {
    await expect(backupDatabase(`${path}.other`, destination, false)).rejects.toThrow();
  });
});
