import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSlowness } from '../bench/yardstick.ts';
import { call, createTestApp, type TestApp } from '../helpers/app.ts';
import { startOwnTime } from '../helpers/own-time.ts';
import { followProcessorWaits } from '../helpers/processor-waits.ts';
import { TEST_SECRET_KEY } from '../helpers/secret-key.ts';
import { START_PARAMETERS } from '../helpers/start-command.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';

const REQUESTS = 10_000;
const CONNECTIONS = 32;
/** The fastest of this many starts counts, because other processes slow it down. */
const STARTS = 4;
/** On a slower machine, more in proportion. */
const START_MAX_MS = 1_000;
const RESIDENT_MAX_MB = 170;

describe('a server on an existing database', () => {
  let app: TestApp;
  let stripe: EndpointUnderTest;
  let clickId: string;
  const cache = mkdtempSync(join(tmpdir(), 'refbridge-cache-'));
  const running: ChildProcess[] = [];
  beforeAll(async () => {
    app = await createTestApp('sqlite');
    const referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
    clickId = await referrer.lead('payer');
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await app.close();
    rmSync(cache, { recursive: true, force: true });
  });

  async function start() {
    const ownMs = await startOwnTime();
    const child = spawn(process.execPath, START_PARAMETERS, {
      cwd: join(import.meta.dirname, '../..'),
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: cache,
        DATABASE_URL: app.databaseUrl,
        SECRET_KEY: TEST_SECRET_KEY.toString('hex'),
        PORT: '0',
        HOST: '127.0.0.1',
        RATE_LIMIT_PER_MINUTE: '1000000',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.push(child);
    const waitedMs = followProcessorWaits(child.pid ?? 0);
    for await (const line of createInterface({ input: child.stderr })) {
      const { msg, url } = JSON.parse(line);
      if (msg !== 'listening') continue;
      // keeps reading, so that the log never waits
      child.stderr.resume();
      return { child, url: url as string, startedWithinMs: ownMs(waitedMs()) };
    }
    throw new Error('The server ended without listening');
  }

  async function stop({ child }: { child: ChildProcess }) {
    child.kill('SIGINT');
    await once(child, 'exit');
  }

  function residentMbOf({ pid }: ChildProcess): number {
    return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
  }

  it('starts quickly, and is small after 10,000 sales', { timeout: 300_000 }, async () => {
    const slowness = await startSlowness();
    // the first start on a machine fills the cache of compiled code
    await stop(await start());
    const startTimes: number[] = [];
    for (let n = 1; n < STARTS; n++) {
      const { child, startedWithinMs } = await start();
      startTimes.push(startedWithinMs);
      await stop({ child });
    }
    const { child, url, startedWithinMs } = await start();
    const quickestMs = Math.min(startedWithinMs, ...startTimes);
    let left = REQUESTS;
    const connection = async () => {
      while (left > 0) {
        left -= 1;
        const invoice = unique('in');
        const sale = { clickId, customerExternalId: 'payer', amount: 1_000, invoiceId: invoice };
        const answer = await (left % 2 === 0
          ? call(`${url}/api/track/sale`, 'POST', { key: app.apiKey, body: sale })
          : stripe.deliver(invoicePaid({ invoice, externalId: 'payer', amount: 1_000 }), undefined, url));
        expect(answer.status).toBe(200);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
    // the thread of reports counts as well
    const list = await call(`${url}/api/sales?limit=100`, 'GET', { key: app.apiKey });
    expect(list.body.data).toHaveLength(100);
    const residentMb = residentMbOf(child);
    process.stdout.write(
      `footprint: listening after ${Math.round(quickestMs)} ms, on a machine ${slowness.toFixed(1)} times as slow as usual; ` +
        `${residentMb} MB after ${REQUESTS} sales\n`,
    );
    expect(quickestMs).toBeLessThan(START_MAX_MS * slowness);
    expect(residentMb).toBeLessThan(RESIDENT_MAX_MB);
  });
});
