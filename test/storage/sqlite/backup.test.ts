import { existsSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase, sqlitePathOf } from '../../../src/storage/open.ts';
import { backupDatabase } from '../../../src/storage/sqlite/backup.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';

vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs')>();
  return { ...original, statfsSync: vi.fn(original.statfsSync) };
});

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

  it('under load is a consistent snapshot: it contains all of a unit or nothing', async () => {
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
    await backupDatabase(path, destination, { verify: true });
    writing = false;
    const written = (await load) + 1;
    const copied = await countsOf(`file:${destination}`);
    expect(copied?.left).toBeGreaterThanOrEqual(1);
    expect(copied?.left).toBeLessThanOrEqual(written);
    expect(copied?.right).toBe(copied?.left);
    expect(await countsOf(test.url)).toEqual({ left: written, right: written });
  });

  it('is one snapshot, however much is committed between its steps, and never starts over', async () => {
    const insert = "INSERT INTO accounts (id, name, created_at) VALUES (@id, 'left', 0), (@id || 'b', 'right', 0)";
    await test.database.write((tx) => tx.run(insert, { id: 'before' }));
    const size = 20 * 1024 * 1024;
    const other = new BetterSqlite3(path);
    other.exec(`CREATE TABLE ballast (body BLOB); INSERT INTO ballast (body) VALUES (zeroblob(${size}))`);
    const steps: number[] = [];
    await backupDatabase(path, destination, {
      verify: true,
      onProgress(copiedBytes, totalBytes) {
        steps.push(copiedBytes);
        expect(totalBytes).toBeGreaterThan(size);
        // pages at the beginning, which have already been copied
        other.prepare(insert).run({ id: `during ${steps.length}` });
      },
    });
    other.close();
    expect(steps.length).toBeGreaterThan(15);
    expect(steps.length).toBeLessThan(30);
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(await countsOf(`file:${destination}`)).toEqual({ left: 1, right: 1 });
  });

  it('that fails halfway leaves nothing behind', async () => {
    const failing = backupDatabase(path, destination, {
      verify: false,
      onProgress() {
        throw new Error('interrupted');
      },
    });
    await expect(failing).rejects.toThrow('interrupted');
    expect(readdirSync(dirname(path)).filter((file) => file.includes('backup'))).toEqual([]);
  });

  it('is refused before it begins when the disk is too small for it', async () => {
    vi.mocked(statfsSync).mockReturnValueOnce({ bavail: 3, bsize: 4_096 } as ReturnType<typeof statfsSync>);
    await expect(backupDatabase(path, destination, { verify: false })).rejects.toThrow(
      /^The copy needs 1 MB, but only 1 MB are free in /,
    );
    expect(readdirSync(dirname(path)).filter((file) => file.includes('backup'))).toEqual([]);
  });

  it('is one file, and leaves nothing else behind', async () => {
    await backupDatabase(path, destination, { verify: false });
    expect(readdirSync(dirname(path)).filter((file) => file.includes('backup'))).toEqual([
      'refbridge.db.backup',
      'refbridge.db.last-backup',
    ]);
  });

  it('overwrites nothing', async () => {
    await backupDatabase(path, destination, { verify: false });
    await expect(backupDatabase(path, destination, { verify: false })).rejects.toThrow('already exists');
  });

  it.each(['-wal', '-shm', '-journal'])(
    'is refused beside the %s of an earlier file, which would change it',
    async (companion) => {
      const left = `${destination}${companion}`;
      writeFileSync(left, 'of an earlier file');
      const failing = () => backupDatabase(path, destination, { verify: true });
      await expect(failing).rejects.toThrow(`${left} of an earlier file is still there`);
      expect([existsSync(destination), existsSync(left)]).toEqual([false, true]);
      rmSync(left);
      await failing();
      expect(await countsOf(`file:${destination}`)).toEqual({ left: null, right: null });
    },
  );

  it('is refused when another process puts a log there meanwhile', async () => {
    const log = `${destination}-wal`;
    const failing = backupDatabase(path, destination, { verify: false, onCopied: () => writeFileSync(log, 'log') });
    await expect(failing).rejects.toThrow(`${log} of an earlier file is still there`);
    expect(existsSync(destination)).toBe(false);
  });

  it('ignores what an interrupted backup has left, and deletes it', async () => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) writeFileSync(`${destination}.partial${suffix}`, 'half');
    await backupDatabase(path, destination, { verify: true });
    expect(readdirSync(dirname(path)).filter((file) => file.includes('partial'))).toEqual([]);
  });

  it('that fails its verification is refused and not kept', async () => {
    const careless = new BetterSqlite3(path);
    careless.pragma('foreign_keys = OFF');
    careless.exec("INSERT INTO program_origins (program_id, origin) VALUES ('prg_gone', 'https://example.com')");
    careless.close();
    await expect(backupDatabase(path, destination, { verify: true })).rejects.toThrow(
      '1 rows of the copy refer to rows',
    );
    expect(readdirSync(dirname(path)).filter((file) => file.includes('backup'))).toEqual([]);
  });

  it('to a place that cannot be written, or of a damaged database, says what to do', async () => {
    vi.mocked(statfsSync).mockReturnValueOnce({ bavail: 1e9, bsize: 4_096 } as ReturnType<typeof statfsSync>);
    const nowhere = backupDatabase(path, '/proc/copy.db', { verify: false });
    await expect(nowhere).rejects.toThrow(/to \/proc\/copy\.db failed: .* Check that this user may read/);
    const damaged = `${path}.damaged`;
    writeFileSync(damaged, 'x'.repeat(10_000));
    await expect(backupDatabase(damaged, destination, { verify: false })).rejects.toThrow(/The database is damaged/);
  });

  it('of a missing database is refused', async () => {
    await expect(backupDatabase(`${path}.other`, destination, { verify: false })).rejects.toThrow();
  });
});
