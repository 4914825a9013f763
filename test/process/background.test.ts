import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { startBackground } from '../../src/process/background.ts';

const HOUR_MS = 3_600_000;
/** A limit only for tests that hang. */
const SOME_TIME = { timeout: 20_000 };

describe('a background job', () => {
  it('runs at once and again after its pause, one run at a time, until it is stopped', async () => {
    let running = 0;
    let runCount = 0;
    const run = async () => {
      expect(++running).toBe(1);
      runCount++;
      await sleep(5);
      running--;
    };
    const background = startBackground([{ name: 'job', pauseMs: 1, run }], pino({ level: 'silent' }));
    expect(runCount).toBe(1);
    await vi.waitFor(() => expect(runCount).toBeGreaterThan(3), SOME_TIME);
    await background.stop();
    const stoppedAt = runCount;
    await sleep(30);
    expect([runCount, running]).toEqual([stoppedAt, 0]);
  });

  it('that fails is logged, continues, and does not affect other jobs', async () => {
    const logged: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => logged.push(JSON.parse(line)) });
    const failing = vi.fn(() => Promise.reject(new Error('the database is gone')));
    const working = vi.fn(async () => undefined);
    const jobs = [
      { name: 'failing', pauseMs: 1, run: failing },
      { name: 'working', pauseMs: 1, run: working },
    ];
    const background = startBackground(jobs, log);
    await vi.waitFor(() => {
      expect(failing.mock.calls.length).toBeGreaterThan(2);
      expect(working.mock.calls.length).toBeGreaterThan(2);
    }, SOME_TIME);
    await background.stop();
    expect(logged[0]).toMatchObject({ job: 'failing', err: { message: 'the database is gone' } });
  });

  it('does not delay the stop by its pause', async () => {
    const background = startBackground(
      [{ name: 'rare', pauseMs: HOUR_MS, run: async () => undefined }],
      pino({ level: 'silent' }),
    );
    const startedAt = performance.now();
    await background.stop();
    expect(performance.now() - startedAt).toBeLessThan(HOUR_MS / 100);
  });
});
