import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/open.ts';
import { migrationsBefore } from '../helpers/earlier-migrations.ts';
import { ROOT } from '../helpers/source-modules.ts';
import { createWorkplace, type Ended, PROGRAM } from './run-cli.ts';

const DRILL = join(ROOT, 'docs/restore-drill.sh');
const workplace = createWorkplace();
const at = (...parts: string[]) => join(workplace.folder, ...parts);

beforeAll(async () => {
  await workplace.json('setup', '--name', 'Example Ltd');
  await workplace.json('endpoints', 'create', '--processor', 'stripe', '--secret', 'whsec_of_the_drill');
  await workplace.json('backup', 'copy.db', '--verify');
  for (const folder of ['bin', 'drills', 'server']) mkdirSync(at(folder));
  const key = readFileSync(at('data/secret.key'), 'utf8');
  writeFileSync(at('server/.env'), `SECRET_KEY=${key}SECRET_KEY_FALLBACKS=${key}`);
  writeFileSync(at('bin/refbridge'), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(at('bin/refbridge'), 0o755);
});
afterAll(() => workplace.remove());

/** Runs the script from the documentation as an operator would, in the folder of the server, whose keys it must ignore. */
function drill(...files: string[]): Promise<Ended> {
  const PATH = `${at('bin')}:${process.env.PATH}`;
  const env = { PATH, HOME: workplace.folder, TMPDIR: at('drills'), SECRET_KEY: 'f'.repeat(64) };
  return new Promise((resolve) => {
    execFile('sh', [DRILL, ...files], { cwd: at('server'), env }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

describe('the restore drill of the documentation', () => {
  it('restores a backup with its key into an empty folder, finds it healthy, and leaves nothing', async () => {
    const { exitCode, stdout, stderr } = await drill(at('copy.db'), at('data/secret.key'));
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Example Ltd');
    expect(stderr).toContain('Nothing is broken.');
    expect(stdout).toMatch(/copy\.db can be restored\.\n$/);
    expect(readdirSync(at('drills'))).toEqual([]);
  });

  it('fails when the key is that of another database', async () => {
    writeFileSync(at('other.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
    const { exitCode, stdout } = await drill(at('copy.db'), at('other.key'));
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/secret/i);
    expect(stdout).not.toContain('can be restored');
  });

  it('fails when the copy is damaged, or missing', async () => {
    copyFileSync(at('copy.db'), at('damaged.db'));
    writeFileSync(at('damaged.db'), 'x'.repeat(4_096), { flag: 'r+' });
    expect((await drill(at('damaged.db'), at('data/secret.key'))).exitCode).not.toBe(0);
    expect((await drill(at('none.db'), at('data/secret.key'))).exitCode).toBe(1);
    expect((await drill()).exitCode).toBe(2);
  });

  it('migrates a copy of an earlier version, but not an empty file', async () => {
    const earlier = await migrationsBefore('0037');
    await (await openDatabase(`file:${at('earlier.db')}`, { migrationsFolder: earlier.folder })).close();
    await earlier.remove();
    const restored = await drill(at('earlier.db'), at('data/secret.key'));
    expect(restored).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/earlier\.db can be restored\.\n$/) });
    expect(restored.stderr).toContain('was migrated from schema version 36 to');
    writeFileSync(at('empty.db'), '');
    expect((await drill(at('empty.db'), at('data/secret.key'))).exitCode).toBe(1);
  });

  it('leaves neither the copy nor the key behind when Ctrl-C stops it', async () => {
    writeFileSync(at('bin/slow'), '#!/bin/sh\necho started\nexec sleep 60\n', { mode: 0o755 });
    mkdirSync(at('stopped'));
    const env = { PATH: process.env.PATH, TMPDIR: at('stopped'), REFBRIDGE: at('bin/slow') };
    const child = spawn('sh', [DRILL, at('copy.db'), at('data/secret.key')], { env, detached: true });
    await once(child.stdout, 'data');
    expect(readdirSync(at('stopped'))).toHaveLength(1);
    // to the whole group, as a terminal does
    process.kill(-(child.pid ?? 0), 'SIGINT');
    expect(await once(child, 'exit')).toEqual([130, null]);
    expect(readdirSync(at('stopped'))).toEqual([]);
  });
});
