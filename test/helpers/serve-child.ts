/**
 * node serve-child.ts <database url> [still | <milliseconds>]: the whole server as a separate process; prints its URL.
 * `still` stops its clocks and its background work once it serves: however slow the machine is, no cached value expires
 * and no job queries the database during a request. With a number, its clock is ahead by as much, so that what a killed
 * process had leased is free without a wait.
 */

import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { serve } from '../../src/main.ts';
import { readConfig } from '../../src/process/config.ts';
import { TEST_SECRET_KEY } from './secret-key.ts';

/** Shorter pauses are those between attempts. */
const JOB_PAUSE_MS_MIN = 1_000;

const [databaseUrl, clock] = process.argv.slice(2);
const realNow = Date.now;
const aheadMs = Number(clock);
if (aheadMs > 0) Date.now = () => realNow() + aheadMs;
const standStill = clock === 'still' ? prepareToStandStill() : () => {};
const { url } = await serve(
  readConfig({
    DATABASE_URL: databaseUrl,
    SECRET_KEY: TEST_SECRET_KEY.toString('hex'),
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_MINUTE: '1000000',
    // the address on which tests receive events
    EVENT_ALLOWED_HOSTS: '127.0.0.1',
  }),
);
standStill();
process.stdout.write(`serving ${url}\n`);

/** Every job will have run once, when the server starts. */
function prepareToStandStill(): () => void {
  const pause = timers.setTimeout;
  timers.setTimeout = <T>(ms?: number, value?: T, options?: Parameters<typeof pause>[2]) =>
    (ms ?? 0) < JOB_PAUSE_MS_MIN ? pause(ms, value, options) : new Promise<T>(() => {});
  syncBuiltinESMExports();
  const startInterval = globalThis.setInterval;
  const polls: NodeJS.Timeout[] = [];
  globalThis.setInterval = ((...parameters: Parameters<typeof startInterval>) => {
    const poll = startInterval(...parameters);
    polls.push(poll);
    return poll;
  }) as typeof startInterval;
  return () => {
    globalThis.setInterval = startInterval;
    for (const poll of polls) clearInterval(poll);
    const [now, elapsedMs] = [Date.now(), performance.now()];
    Date.now = () => now;
    performance.now = () => elapsedMs;
  };
}
