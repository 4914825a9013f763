import { readdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { createWorkplace } from '../cli/run-cli.ts';
import { startOwnTime } from '../helpers/own-time.ts';
import { followProcessorWaits } from '../helpers/processor-waits.ts';

const MAX_MS = 10_000;

const workplace = createWorkplace();
afterAll(() => workplace.remove());

it('refbridge demo runs its story over real HTTP within seconds, ends as expected, and leaves nothing behind', async () => {
  const ownMs = await startOwnTime();
  let waitedMs = () => 0;
  const { exitCode, stdout } = await workplace.spawn(['demo', '--once'], {
    onStart(pid) {
      waitedMs = followProcessorWaits(pid);
    },
  });
  expect(stdout).toContain('Everything is as expected.');
  expect(exitCode).toBe(0);
  expect(ownMs(waitedMs())).toBeLessThan(MAX_MS);
  expect(readdirSync(workplace.folder)).toEqual([]);
});
