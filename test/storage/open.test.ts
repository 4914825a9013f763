import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase, sqlitePathOf } from '../../src/storage/open.ts';

describe('DATABASE_URL', () => {
  it.each([
    ['file:./data/refbridge.db', './data/refbridge.db'],
    ['file:refbridge.db', 'refbridge.db'],
    ['file:/var/lib/refbridge.db', '/var/lib/refbridge.db'],
    ['file:///var/lib/with%20space.db', '/var/lib/with space.db'],
    ['file:', null],
    ['file::memory:', null],
    ['postgres://refbridge@127.0.0.1/refbridge', null],
    ['./refbridge.db', null],
  ])('%s names the file %s', (url, path) => {
    expect(sqlitePathOf(url)).toBe(path);
  });

  it.each(['', 'refbridge.db', 'mysql://root:hunter2@127.0.0.1/x', 'file::memory:'])(
    '%j is refused, naming the two valid forms but not its password',
    async (url) => {
      const opening = openDatabase(url);
      await expect(opening).rejects.toThrow('file:./path/to/refbridge.db or postgres://');
      await expect(opening).rejects.not.toThrow('hunter2');
    },
  );

  it('creates a missing folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'refbridge-'));
    const path = join(folder, 'new', 'data', 'refbridge.db');
    const database = await openDatabase(`file:${path}`);
    await database.close();
    expect(existsSync(path)).toBe(true);
    await rm(folder, { recursive: true });
  });
});
