import { readdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { startSlowness } from '../bench/yardstick.ts';
import { createWorkplace } from '../cli/run-cli.ts';
import { startOwnTime } from '../helpers/own-time.ts';
import { followProcessorWaits } from '../helpers/processor-waits.ts';

/** On a slower machine, more in proportion. */
const MAX_MS = 10_000;

const workplace = createWorkplace();
afterAll(() => workplace.remove());

it('refbridge demo runs its story over real HTTP within seconds, ends as expected, and leaves nothing behind', async () => {
  const slowness = await startSlowness();
  const ownMs = await startOwnTime();
  let waitedMs = () => 0;
  const { exitCode, stdout } = await workplace.spawn(['demo', '--once'], {
    onStart(pid) {
      waitedMs = followProcessorWaits(pid);
    },
  });
  expect(stdout).toContain('Everything is as expected.');
  expect(exitCode).toBe(0);
  expect(ownMs(waitedMs())).toBeLessThan(MAX_MS * slowness);
  expect(readdirSync(workplace.folder)).toEqual([]);
});
