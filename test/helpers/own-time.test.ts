import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startOwnTime } from './own-time.ts';

const CHILD = fileURLToPath(new URL('own-time-child.ts', import.meta.url));

const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it.each([
  ['waits', sleep],
  ['blocks the event loop', block],
])('counts the time of what %s', async (_, hold) => {
  const attempt = async () => {
    const ownMs = await startOwnTime();
    await hold(300);
    return ownMs();
  };
  // the machine may stall during one of the attempts
  const attempts = [await attempt(), await attempt(), await attempt()];
  expect(Math.max(...attempts)).toBeGreaterThan(290);
});

it('does not count time in which the process does not run', async () => {
  const child = spawn(process.execPath, [CHILD], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [ready] = await once(child.stdout, 'data');
  expect(String(ready)).toBe('waiting\n');
  child.kill('SIGSTOP');
  await sleep(2_000);
  child.kill('SIGCONT');
  const [said] = await once(child.stdout, 'data');
  const { wallMs, ownMs } = JSON.parse(String(said));
  expect(ownMs).toBeLessThan(wallMs - 1_500);
});
