import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/open.ts';
import { createWorkplace, type Workplace } from '../cli/run-cli.ts';

const COMPANIONS = ['-wal', '-shm'];
let workplace: Workplace;
let path: string;
let copy: string;

beforeEach(async () => {
  workplace = createWorkplace({ PORT: '0' });
  await workplace.json('setup', '--name', 'Before');
  path = join(workplace.folder, 'data/refbridge.db');
  copy = join(workplace.folder, 'copy.db');
  await workplace.json('backup', 'copy.db');
});
afterEach(() => workplace.remove());

/** Renames the account, and leaves the files as a process does that is killed then. */
async function renameAndDie(): Promise<void> {
  const database = await openDatabase(`file:${path}`);
  await database.write((tx) => tx.run("UPDATE accounts SET name = 'After'", {}));
  const files = ['', ...COMPANIONS].map((suffix) => [`${path}${suffix}`, readFileSync(`${path}${suffix}`)] as const);
  await database.close();
  for (const [file, content] of files) writeFileSync(file, content);
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
}

async function accountName(): Promise<string> {
  const { exitCode, stdout, stderr } = await workplace.run(['accounts', 'list']);
  expect(exitCode, stderr).toBe(0);
  return /Before|After/.exec(stdout)?.[0] ?? stdout;
}

describe('a backup restored beside the log of the file that it replaced', () => {
  beforeEach(async () => {
    await renameAndDie();
    copyFileSync(copy, path);
    rmSync(`${path}-shm`);
  });

  it('is opened by no server and no command, and works once the log is deleted', async () => {
    const log = readFileSync(`${path}-wal`);
    const refused = [await workplace.spawn(['serve'])];
    const commands = [['setup'], ['accounts', 'list'], ['doctor'], ['migrate'], ['backup', 'second.db']];
    for (const words of commands) refused.push(await workplace.run(words));
    for (const { exitCode, stdout, stderr } of refused) {
      expect(exitCode).toBe(1);
      // doctor prints what it finds
      expect(stdout + stderr).toContain(`Delete ${path}-wal and ${path}-shm, then try again`);
    }
    expect(readFileSync(path)).toEqual(readFileSync(copy));
    expect(readFileSync(`${path}-wal`)).toEqual(log);
    expect(existsSync(join(workplace.folder, 'second.db'))).toBe(false);
    rmSync(`${path}-wal`);
    expect(await accountName()).toBe('Before');
  });
});

describe('a database in use is never mistaken for one', () => {
  it('after a kill, whose log holds what was acknowledged', async () => {
    await renameAndDie();
    await workplace.json('backup', 'second.db');
    expect(await accountName()).toBe('After');
  });

  it('while another process writes to it, even a backup that was just opened for the first time', async () => {
    copyFileSync(copy, path);
    const database = await openDatabase(`file:${path}`);
    await database.write((tx) => tx.run("UPDATE accounts SET name = 'After'", {}));
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    expect(await accountName()).toBe('After');
    await workplace.json('backup', 'second.db');
    await database.close();
  });

  it('after VACUUM, whose pages are in the log and in the file', async () => {
    const other = new BetterSqlite3(path);
    other.pragma('journal_mode = WAL');
    other.exec("UPDATE accounts SET name = 'After'; VACUUM; PRAGMA wal_checkpoint(PASSIVE)");
    expect(await accountName()).toBe('After');
    other.close();
  });

  it('after its journal mode was changed, with an empty log, or without any content', async () => {
    const other = new BetterSqlite3(path);
    other.pragma('journal_mode = DELETE');
    other.close();
    expect(await accountName()).toBe('Before');
    copyFileSync(copy, path);
    writeFileSync(`${path}-wal`, '');
    expect(await accountName()).toBe('Before');
    for (const suffix of ['', ...COMPANIONS]) rmSync(`${path}${suffix}`, { force: true });
    writeFileSync(path, '');
    await workplace.json('setup', '--name', 'After');
    expect(await accountName()).toBe('After');
  });
});
