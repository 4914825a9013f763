import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startOwnTime } from './own-time.ts';
import { followProcessorWaits } from './processor-waits.ts';

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

it('does not count the time for which its thread waited for a processor', async () => {
  const others = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'console.log(); for (;;);'], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  onTestFinished(() => void others.map((other) => other.kill('SIGKILL')));
  await Promise.all(others.map(({ stdout }) => once(stdout, 'data')));
  const ownMs = await startOwnTime();
  const startedAt = performance.now();
  const before = process.threadCpuUsage();
  while (performance.now() < startedAt + 1_500);
  const { user, system } = process.threadCpuUsage(before);
  const [measuredMs, wallMs, ranMs] = [ownMs(), performance.now() - startedAt, (user + system) / 1_000];
  expect(ranMs).toBeLessThan(0.7 * wallMs);
  expect(wallMs - measuredMs).toBeGreaterThan(0.75 * (wallMs - ranMs));
  expect(measuredMs).toBeGreaterThan(0.75 * ranMs);
});

it('of a child does not count the time for which it waited for a processor', async () => {
  const busy = 'const end = Date.now() + 1_000; while (Date.now() < end);';
  const measure = async () => {
    const ownMs = await startOwnTime();
    const startedAt = performance.now();
    const child = spawn(process.execPath, ['-e', busy], { stdio: 'ignore' });
    const waitedMs = followProcessorWaits(child.pid ?? 0);
    await once(child, 'exit');
    return { wallMs: performance.now() - startedAt, ownMs: ownMs(waitedMs()) };
  };
  // half of them have to wait at any time
  const measured = await Promise.all(Array.from({ length: 2 * availableParallelism() }, measure));
  const sumOf = (name: 'wallMs' | 'ownMs') => measured.reduce((sum, one) => sum + one[name], 0);
  expect(sumOf('ownMs')).toBeLessThan(0.75 * sumOf('wallMs'));
  expect(sumOf('ownMs')).toBeGreaterThan(0);
});
