import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolder } from '../../src/app/create-folder.ts';
import { PROGRAM } from '../cli/run-cli.ts';

describe('a folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'refbridge-folder-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is created with those above it, with one mode, and kept when it exists', () => {
    const path = join(folder, 'a/b/c');
    for (const _ of ['first', 'again']) createFolder(path, 0o700);
    for (const made of [path, join(folder, 'a')]) expect(statSync(made).mode & 0o777).toBe(0o700);
    createFolder('/', 0o700);
    createFolder('.', 0o700);
  });

  it('is not created in the place of a file, nor below one', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => createFolder(join(folder, 'file'), 0o700)).toThrow('EEXIST');
    expect(() => createFolder(join(folder, 'file/a/b'), 0o700)).toThrow('ENOTDIR');
  });

  it.skipIf(process.platform !== 'linux').each([
    { what: 'an export', words: ['export', '/proc/refbridge/copy'], database: 'file:./refbridge.db' },
    { what: 'a database', words: ['setup'], database: 'file:/proc/refbridge/refbridge.db' },
  ])('where none can be created is refused for $what', ({ words, database }) => {
    const env = { PATH: process.env.PATH, HOME: folder };
    const run = (given: readonly string[], url: string) =>
      spawnSync(process.execPath, [PROGRAM, ...given], {
        cwd: folder,
        env: { ...env, DATABASE_URL: url },
        encoding: 'utf8',
        // a process that never ends
        timeout: 30_000,
        killSignal: 'SIGKILL',
      });
    expect(run(['setup'], 'file:./refbridge.db').status).toBe(0);
    const { status, stderr } = run(words, database);
    expect(stderr).toMatch(/\/proc\/refbridge.* cannot be (?:written|used)/);
    expect(status).toBe(1);
  });
});
