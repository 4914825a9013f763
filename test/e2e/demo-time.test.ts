import { readdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { createWorkplace } from '../cli/run-cli.ts';
import { startOwnTime } from '../helpers/own-time.ts';

const MAX_MS = 10_000;

const workplace = createWorkplace();
afterAll(() => workplace.remove());

it('refbridge demo runs its story over real HTTP within seconds, ends as expected, and leaves nothing behind', async () => {
  const ownMs = await startOwnTime();
  const { exitCode, stdout } = await workplace.spawn(['demo', '--once']);
  expect(stdout).toContain('Everything is as expected.');
  expect(exitCode).toBe(0);
  expect(ownMs()).toBeLessThan(MAX_MS);
  expect(readdirSync(workplace.folder)).toEqual([]);
});
