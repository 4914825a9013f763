import { mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { backupDatabase } from '../../../src/storage/sqlite/backup.ts';
import { openSqlite } from '../../../src/storage/sqlite/database.ts';
import { createLockMemory, MAIN_THREAD, WriteLock } from '../../../src/storage/sqlite/write-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-log-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a server on SQLite', () => {
  const open = (file: string) =>
    openSqlite(file, [], { writeLock: new WriteLock(createLockMemory(), MAIN_THREAD), schema: 'migrate' });

  it('guarantees the durability of synchronous=FULL, although its connection has only NORMAL', async () => {
    const database = await open(join(folder, 'whole.db'));
    expect(await database.write((tx) => tx.get('PRAGMA synchronous'))).toEqual({ synchronous: 1 });
    expect(await database.durability()).toEqual({ synchronous: 'FULL' });
    await database.close();
  });

  it('finds the log of a database whose path is a link', async () => {
    const [path, link] = [join(folder, 'refbridge.db'), join(folder, 'link.db')];
    await (await open(path)).close();
    await symlink(path, link);
    const database = await open(link);
    await database.write((tx) => tx.run('CREATE TABLE notes (id TEXT PRIMARY KEY)'));
    expect(await readdir(folder)).not.toContain('link.db-wal');
    await database.close();
  });

  it('measures the log and knows the last backup of a database that a link to another folder names', async () => {
    const [path, link] = [join(folder, 'refbridge.db'), join(folder, 'links', 'link.db')];
    await mkdir(dirname(link));
    await symlink(path, link);
    const database = await open(link);
    try {
      await database.write((tx) => tx.run('CREATE TABLE notes (id TEXT PRIMARY KEY)'));
      for (const [day, source] of [path, link].entries()) {
        vi.setSystemTime(Date.UTC(2026, 0, day + 1));
        await backupDatabase(source, `${path}.${day}`, { verify: false });
        expect((await database.diskUse()).lastBackupAt).toBe(Date.UTC(2026, 0, day + 1));
      }
      expect((await database.diskUse()).logBytes).toBe((await stat(`${path}-wal`)).size);
      expect(await readdir(dirname(link))).toEqual(['link.db']);
    } finally {
      vi.useRealTimers();
      await database.close();
    }
  });
});
