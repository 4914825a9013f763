import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
});
