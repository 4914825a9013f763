import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PROGRAM } from '../cli/run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'refbridge-disk-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command where mounts are its own and end with it. */
const unshare = (...words: string[]) =>
  spawnSync('unshare', ['-m', ...words], { encoding: 'utf8', env: { PATH: process.env.PATH } });

/** Only root may mount, and not in every container. */
const canMount = unshare('mount', '-t', 'tmpfs', 'none', folder).status === 0;

it.skipIf(!canMount)('a database on a disk that became read-only leads to advice', () => {
  const script = 'mount -t tmpfs none "$0" && cd "$0" && "$@" setup && mount -o remount,ro "$0" && "$@" sales list';
  const { stderr } = unshare('sh', '-c', script, folder, process.execPath, PROGRAM);
  expect(stderr).toContain('its disk is read-only');
});

it.each(canMount ? ['sales list'] : [])('a full disk is named by a command that only reads: %s', (command) => {
  const fill = 'mount -t tmpfs -o size=8m none "$0" && cd "$0" && "$@" setup && head -c 9M /dev/zero > filler';
  const { stderr } = unshare('sh', '-c', `${fill}; "$@" ${command}`, folder, process.execPath, PROGRAM);
  expect(stderr).toContain('its disk is full');
});

it.skipIf(!canMount)('an export that fills its disk leads to the advice to delete what there is of it', () => {
  const script =
    'cd "$0" && "$@" setup && mkdir small && mount -t tmpfs -o size=16k none small; "$@" export small/copy';
  const { status, stderr } = unshare('sh', '-c', script, folder, process.execPath, PROGRAM);
  expect(stderr).toMatch(/small\/copy cannot be written: ENOSPC.*\. Delete it: it is incomplete\.\n$/);
  expect(status).toBe(1);
});
