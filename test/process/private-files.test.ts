import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/process/config.ts';
import { lockForServing } from '../../src/process/open-database.ts';
import { preparePrivateFiles, storageProblem } from '../../src/process/private-files.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { createWorkplace } from '../cli/run-cli.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the files of a SQLite database', () => {
  let folder: string;
  let umask: number;
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line)) });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'refbridge-files-'));
    lines.length = 0;
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
    rmSync(folder, { recursive: true });
  });

  it('are created for their owner only, whatever the umask', async () => {
    const path = join(folder, 'data/refbridge.db');
    preparePrivateFiles(path, log);
    const database = await openDatabase(`file:${path}`);
    for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}.lock`]) expect(modeOf(file), file).toBe('600');
    expect(modeOf(join(folder, 'data'))).toBe('700');
    expect(lines).toEqual([]);
    await database.close();
  });

  it('are only for their owner when a command writes them, backups included', async () => {
    const workplace = createWorkplace();
    for (const words of [['setup'], ['backup', 'copy.db']]) {
      expect((await workplace.spawn(words)).exitCode).toBe(0);
    }
    for (const file of ['copy.db', 'data/refbridge.db']) expect(modeOf(join(workplace.folder, file)), file).toBe('600');
    expect(modeOf(join(workplace.folder, 'data'))).toBe('700');
    await workplace.remove();
  });

  it.skipIf(process.getuid?.() !== 0)('belong to the owner of the database when root runs a command', async () => {
    const OWNER = 12_345;
    const workplace = createWorkplace();
    await workplace.json('setup');
    const path = join(workplace.folder, 'data/refbridge.db');
    chownSync(path, OWNER, OWNER);
    rmSync(`${path}.lock`);
    await workplace.json('backup', 'copy.db');
    await workplace.json('accounts', 'list');
    for (const file of [`${path}.lock`, `${path}.last-backup`])
      expect(statSync(file), file).toMatchObject({ uid: OWNER, gid: OWNER });
    await workplace.remove();
  });

  it('that others could read are restricted, with a log line for each', async () => {
    mkdirSync(join(folder, 'data'));
    const path = join(folder, 'data/refbridge.db');
    const database = await openDatabase(`file:${path}`);
    expect(modeOf(path)).toBe('644');
    preparePrivateFiles(path, log);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(modeOf(file), file).toBe('600');
    expect(modeOf(join(folder, 'data'))).toBe('700');
    expect(lines.map(({ path }) => path)).toEqual([path, `${path}-wal`, `${path}-shm`, join(folder, 'data')]);
    expect(lines[0]).toMatchObject({ before: '0644', now: '0600' });
    await database.close();
  });

  it('do not change the mode of a folder that others use', () => {
    chmodSync(folder, 0o755);
    preparePrivateFiles(join(folder, 'refbridge.db'), log);
    expect(modeOf(folder)).toBe('755');
  });

  it('lead to advice when they cannot be created', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => preparePrivateFiles(join(folder, 'file/refbridge.db'), log)).toThrow(/a part of its path is a file/);
    expect(() => preparePrivateFiles(join(folder, 'file/x/refbridge.db'), log)).toThrow(/a part of its path is a file/);
  });

  it('lead to advice where DATABASE_URL names a folder, which stays as it is', () => {
    const path = join(folder, 'archive');
    mkdirSync(path, { mode: 0o755 });
    expect(() => preparePrivateFiles(path, log)).toThrow(
      `${path} cannot be used: it is not a file: correct DATABASE_URL`,
    );
    expect(modeOf(path)).toBe('755');
    expect(readdirSync(folder)).toEqual(['archive']);
  });

  it('lead to advice where a link leads to itself', () => {
    const path = join(folder, 'refbridge.db');
    symlinkSync('refbridge.db', path);
    expect(() => preparePrivateFiles(path, log)).toThrow(
      `${path} cannot be used: a link in its path leads back to itself`,
    );
  });

  it('lead to advice when a server cannot open its lock', () => {
    const path = join(folder, 'refbridge.db');
    mkdirSync(`${path}.lock`);
    const config = { database: { engine: 'sqlite', path } } as Config;
    expect(() => lockForServing(config, log)).toThrow(`${path}.lock cannot be used: it cannot be written`);
  });

  it.skipIf(process.getuid?.() !== 0)('lead to advice when only the database belongs to another user', () => {
    const path = join(folder, 'refbridge.db');
    chmodSync(folder, 0o777);
    writeFileSync(path, '', { mode: 0o600 });
    writeFileSync(`${path}.lock`, '');
    chmodSync(`${path}.lock`, 0o666);
    const config = { database: { engine: 'sqlite', path } } as Config;
    process.seteuid?.(12_345);
    try {
      expect(() => lockForServing(config, log)).toThrow(`${path} cannot be used: it cannot be written`);
    } finally {
      process.seteuid?.(0);
    }
  });

  it.each([
    ['EROFS', 'read-only'],
    ['ENOSPC', 'disk is full'],
    ['EACCES', 'cannot be written'],
    ['SQLITE_FULL', 'disk is full'],
    ['SQLITE_IOERR_SHMSIZE', 'disk is full'],
    ['SQLITE_READONLY_DIRECTORY', 'cannot be written'],
    ['SQLITE_CANTOPEN', 'cannot be written'],
    ['ERR_DLOPEN_FAILED', 'better-sqlite3'],
  ])('lead to an explanation for %s', (code, sentence) => {
    const cause = Object.assign(new Error(code), { code });
    expect(storageProblem('x.db', new Error('wrapped', { cause }))?.message).toContain(sentence);
  });

  it('lead to no explanation for another error', () => {
    expect(storageProblem('x.db', new Error('of a bug'))).toBeNull();
  });
});
