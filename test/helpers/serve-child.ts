/**
 * node serve-child.ts <database url> [still | <milliseconds>]: the whole server as a separate process; prints its URL.
 * `still` stops its clock once it serves, so that no cached value expires however slow the machine is. With a number, its
 * clock is ahead by as much, so that what a killed process had leased is free without a wait.
 */

import { serve } from '../../src/main.ts';
import { readConfig } from '../../src/process/config.ts';
import { TEST_SECRET_KEY } from './secret-key.ts';

const [databaseUrl, clock] = process.argv.slice(2);
const realNow = Date.now;
const aheadMs = Number(clock);
if (aheadMs > 0) Date.now = () => realNow() + aheadMs;
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
if (clock === 'still') {
  const now = Date.now();
  Date.now = () => now;
}
process.stdout.write(`serving ${url}\n`);
