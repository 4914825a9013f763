import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { startChild } from '../helpers/child-process.ts';

const SORT = new URL('children/sort.ts', import.meta.url);

/** Other systems do not show which files a process has open. */
const cases: [string, string[], string][] =
  process.platform === 'linux'
    ? [
        ['beside the database, whose disk is checked before migrations', ['-u', 'SQLITE_TMPDIR'], 'data'],
        ['in the folder that SQLITE_TMPDIR names', ['SQLITE_TMPDIR=elsewhere'], 'elsewhere'],
      ]
    : [];

it.each(cases)('what SQLite sorts and does not fit into memory is stored %s', async (_where, environment, expected) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'refbridge-sort-')));
  const assigned = environment.map((word) => word.replace('=', `=${folder}/`));
  const make = `mkdir -p "${folder}/elsewhere" && exec "$@"`;
  const child = startChild(SORT, [join(folder, 'data', 'refbridge.db')], ['sh', '-c', make, 'sh', 'env', ...assigned]);
  const { output, code } = await child.ended;
  await rm(folder, { recursive: true, force: true });
  expect(code, output).toBe(0);
  const temporary = output.split('\n').filter((file) => file.startsWith(folder) && file.endsWith(' (deleted)'));
  expect(temporary.map(dirname), output).toEqual([join(folder, expected)]);
});
