/**
 * How much slower this machine is than the one on which the limits of time were set, by what the hand-written server
 * (`naive.ts`) takes on both. A limit multiplied by this is a ratio within one run, which a slower machine does not exceed.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOwnTime } from '../helpers/own-time.ts';
import { invoicePaid, signedRequest } from './deliveries.ts';
import { load } from './load.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';

/** On the machine on which the limits were set, the hand-written server listened after this time, ... */
const USUAL_START_MS = 200;
/** ... and acknowledged this many deliveries a second at 32 connections, as README says. */
const USUAL_PER_SECOND = 2_450;
/** The fastest of this many starts counts, because other processes slow it down. */
const STARTS = 4;
const CONNECTIONS = 32;
const WARM_UP_REQUESTS = 5_000;
const REQUESTS = 5_000;

/** For limits of starting and computing: how many times as long a start takes here; 1 on a faster machine. */
export async function startSlowness(): Promise<number> {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let n = 0; n < STARTS; n += 1) {
    const ownMs = await startOwnTime();
    await withHandWritten(async () => {
      fastestMs = Math.min(fastestMs, ownMs());
    });
  }
  return Math.max(1, fastestMs / USUAL_START_MS);
}

/** For limits of waiting for a busy server: how many times as long its requests take here; 1 on a faster machine. */
export function loadSlowness(): Promise<number> {
  return withHandWritten(async ({ port }, secret) => {
    const run = randomBytes(3).toString('hex');
    const send = (from: number, count: number) => {
      const requests = Array.from({ length: count }, (_, n) => invoicePaid(from + n, run));
      return load(
        port,
        requests.map((body) => signedRequest(body, '/webhooks', secret)),
        CONNECTIONS,
      );
    };
    await send(0, WARM_UP_REQUESTS);
    const { requestsPerSecond } = await send(WARM_UP_REQUESTS, REQUESTS);
    return Math.max(1, USUAL_PER_SECOND / requestsPerSecond);
  });
}

async function withHandWritten<T>(use: (server: ServerProcess, secret: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'refbridge-yardstick-'));
  const secret = `whsec_${randomBytes(24).toString('hex')}`;
  const server = await startServerProcess('naive', { DATABASE: join(folder, 'naive.db'), SECRET: secret });
  try {
    return await use(server, secret);
  } finally {
    server.process.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
