import { linkSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, sqlitePathOf } from '../../../src/storage/open.ts';
import { acquireServeLock } from '../../../src/storage/sqlite/lock.ts';
import { startChild } from '../../helpers/child-process.ts';
import { createTestDatabase, type TestDatabase } from '../../helpers/databases.ts';

const CHILD = new URL('../children/hold-serve-lock.ts', import.meta.url);

describe('the lock of the serving process', () => {
  let test: TestDatabase;
  let path: string;

  beforeEach(async () => {
    test = await createTestDatabase('sqlite');
    path = sqlitePathOf(test.url) ?? '';
  });
  afterEach(() => test.remove());

  it('is refused to a second server, with advice', () => {
    const lock = acquireServeLock(path);
    expect(() => acquireServeLock(path)).toThrow(/Another server is running on .*Stop it first/);
    lock.release();
    acquireServeLock(path).release();
  });

  it('is held across processes, and released as soon as its owner is killed', async () => {
    const child = startChild(CHILD, [path], ['env', 'NODE_OPTIONS=--expose-gc']);
    await child.printed('held');
    expect(() => acquireServeLock(path)).toThrow('Another server is running');
    child.process.kill('SIGKILL');
    await child.ended;
    acquireServeLock(path).release();
  });

  it('is held on the database itself, when its sidecar is removed or its file has another name', async () => {
    const child = startChild(CHILD, [path], ['env', 'NODE_OPTIONS=--expose-gc']);
    await child.printed('held');
    rmSync(`${path}.lock`);
    expect(() => acquireServeLock(path)).toThrow(/Another server is running on .*Stop it first/);
    linkSync(path, `${path}.linked`);
    expect(() => acquireServeLock(`${path}.linked`)).toThrow('Another server is running');
    child.process.kill('SIGKILL');
    await child.ended;
    acquireServeLock(`${path}.linked`).release();
  });

  it('does not keep a command from opening the database beside the server', async () => {
    const lock = acquireServeLock(path);
    const beside = await openDatabase(test.url);
    expect(
      await beside.write((tx) => tx.run("INSERT INTO accounts (id, name, created_at) VALUES ('acc_1', 'Acme', 0)")),
    ).toBe(1);
    await beside.close();
    lock.release();
  });
});
