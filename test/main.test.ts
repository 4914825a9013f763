import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { createAccount, type NewAccount } from '../src/accounts/accounts.ts';
import { STOPPING, startServer } from '../src/main.ts';
import { openService } from '../src/open-service.ts';
import { type Config, readConfig } from '../src/process/config.ts';
import { ConfigError } from '../src/process/config-error.ts';
import { createTestDatabase, engines, type TestDatabase } from './helpers/databases.ts';
import { startEndlessReport } from './helpers/endless-report.ts';
import { createEventReceiver } from './helpers/event-receiver.ts';
import { statusOf } from './helpers/open-server.ts';
import { startOwnTime } from './helpers/own-time.ts';
import { followProcessorWaits } from './helpers/processor-waits.ts';
import { beginPost } from './helpers/raw-connection.ts';
import { countTo } from './helpers/report-databases.ts';
import { HELD_NOTICE, HELD_NOTICE_MS, startStoppable, stopping } from './helpers/stoppable-server.ts';

const EXIT_DEADLINE_MS = 10_000;
const inTurn = { concurrent: false };

it('a server that stops has time for its last step, and ends within 10 s', () => {
  const { noticeMs, drainMs, sendMs, exitMs } = STOPPING;
  expect(exitMs - noticeMs - Math.max(drainMs, sendMs)).toBeGreaterThan(1_000);
  expect(exitMs).toBeLessThan(EXIT_DEADLINE_MS);
});

// the engines run side by side, because the tests mostly wait for processes; the tests of one engine stay in order
describe.each(engines)('a running server, on %s', { concurrent: true }, (engine) => {
  let database: TestDatabase;
  let environment: Record<string, string>;
  let config: Config;
  let account: NewAccount;

  beforeEach(async () => {
    database = await createTestDatabase(engine);
    environment = {
      PORT: '0',
      HOST: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: '1000000',
      BASE_URL: 'https://refer.example.com',
      DATABASE_URL: database.url,
      ...(engine === 'postgres' ? { SECRET_KEY: Buffer.alloc(32, 3).toString('hex') } : {}),
    };
    config = readConfig(environment);
    const service = await openService(config, pino({ level: 'silent' }));
    account = await createAccount(service, { name: 'Example Ltd' });
    await service.database.close();
  });
  afterEach(() => database.remove());

  const headers = () => ({ authorization: `Bearer ${account.apiKey}`, connection: 'close' });

  const keepsSqliteBusy = async ({ onTestFinished }: TestContext) => {
    const stuck = `
      const { database } = running.service;
      await database.report((tx) => tx.get('SELECT 1 AS one'), { deadlineMs: 60_000 });
      await database.report((tx) => tx.get('${countTo(2_000_000_000)}'), { deadlineMs: 500 }).catch(() => {});
    `;
    const { child, logged } = await startStoppable({ ...environment, ...stopping({ exitMs: 1_500 }) }, stuck);
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    await logged('a report was stopped at its deadline');
    const exited = once(child, 'exit');
    const ownMs = await startOwnTime();
    child.kill('SIGTERM');
    expect(await exited).toEqual([null, 'SIGTERM']);
    expect(ownMs()).toBeLessThan(EXIT_DEADLINE_MS);
  };
  if (engine === 'sqlite') it('ends at its deadline, even if SQLite keeps a thread busy', inTurn, keepsSqliteBusy);

  it(
    'on SIGTERM turns unready, answers requests in flight, and exits with 0 within 10 s, under load',
    inTurn,
    async ({ expect: expectHere }) => {
      // whoever stalls, this process or that one, the notice and the requests in flight wait for it
      const held = stopping({ noticeMs: HELD_NOTICE_MS, drainMs: 60_000, exitMs: 90_000 });
      const { child, url, logged } = await startStoppable({ ...environment, ...held }, HELD_NOTICE);
      const exited = once(child, 'exit');
      const statuses: number[] = [];
      const manyAnswered = Promise.withResolvers<void>();
      let isReady = true;
      const client = async () => {
        while (isReady) {
          statuses.push((await fetch(`${url}/api/api-keys`, { headers: headers() })).status);
          if (statuses.length > 50) manyAnswered.resolve();
        }
      };
      const clients = Promise.all(Array.from({ length: 16 }, client));
      await manyAnswered.promise;

      const body = '{"name":"Sent slowly"}';
      const json = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
      const slow = await beginPost(url, '/api/api-keys', body.length, json);
      slow.socket.write(body.slice(0, 5));
      const ownMs = await startOwnTime();
      child.kill('SIGTERM');

      await logged('draining');
      expect((await fetch(`${url}/health/ready`, { headers: headers() })).status).toBe(503);
      isReady = false;
      await clients;
      child.kill('SIGUSR2');
      // not the imported one, which knows no test as long as the other engine is between two
      await expectHere.poll(() => statusOf(`${url}/health/live`)).toBe(null);
      slow.socket.write(body.slice(5));
      expect(await slow.ended).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);

      expect(await exited).toEqual([0, null]);
      expect(ownMs()).toBeLessThan(EXIT_DEADLINE_MS - STOPPING.noticeMs);
      expect(new Set(statuses)).toEqual(new Set([200]));
    },
  );

  it('answers everything else while a report takes long', inTurn, async () => {
    const running = await startServer(config, pino({ level: 'silent' }));
    const key = { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' };
    const post = async (path: string, body: object) => {
      const answer = await fetch(running.url + path, { method: 'POST', headers: key, body: JSON.stringify(body) });
      expect(answer.status).toBe(201);
      return (await answer.json()) as { id: string; key: string };
    };
    const partner = await post('/api/partners', { name: 'Pia Example', email: 'pia@example.com' });
    const domain = new URL(running.url).host;
    const link = await post('/api/links', { partnerId: partner.id, domain, url: 'https://shop.example.com' });
    // so that the thread of reports has started
    expect((await fetch(`${running.url}/api/links`, { headers: key })).status).toBe(200);
    const report = await startEndlessReport(running.service.database, engine, database.url);
    expect((await fetch(`${running.url}/health/live`)).status).toBe(200);
    const visit = await fetch(`${running.url}/${link.key}`, { redirect: 'manual' });
    expect(visit.headers.get('location')).toContain('shop.example.com');
    await post('/api/partners', { name: 'Paul Example', email: 'paul@example.com' });
    await report.end();
    await running.close();
  });

  it(
    'does not wait longer than a deadline for a request and an event endpoint that never end, on SIGTERM',
    inTurn,
    async () => {
      const receiver = await createEventReceiver();
      receiver.answer = () => {};
      const { child, url } = await startStoppable({
        ...environment,
        EVENT_ALLOWED_HOSTS: '127.0.0.1',
        ...stopping({ drainMs: 1_000, sendMs: 500 }),
      });
      const json = { ...headers(), 'content-type': 'application/json' };
      const post = (path: string, body: object) =>
        fetch(url + path, { method: 'POST', headers: json, body: JSON.stringify(body) });
      expect((await post('/api/event-endpoints', { url: receiver.url, types: ['partner.created'] })).status).toBe(201);
      expect((await post('/api/partners', { name: 'Ana Example', email: 'ana@example.com' })).status).toBe(201);
      await receiver.arrived(1);
      const exited = once(child, 'exit');
      const stuck = await beginPost(url, '/api/partners', 9, json);
      stuck.socket.write('x');
      const ownMs = await startOwnTime();
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      expect(ownMs()).toBeLessThan(EXIT_DEADLINE_MS);
      await stuck.ended;
      await receiver.close();
    },
  );

  it.each(['SIGINT', 'SIGHUP'] as const)('ends at once when nothing is in flight, on %s', inTurn, async (signal) => {
    // the notice is for load balancers, on SIGTERM: a server that waited for it would end by the signal
    const { child, logged } = await startStoppable({ ...environment, ...stopping({ noticeMs: 60_000 }) });
    const exited = once(child, 'exit');
    const waitedMs = followProcessorWaits(child.pid ?? 0);
    const waitedBeforeMs = waitedMs();
    child.kill(signal);
    expect(await exited).toEqual([0, null]);
    const [from = 0, to = 0] = (await Promise.all(['draining', 'stopped'].map(logged))).map(({ time }) =>
      Date.parse(time),
    );
    expect(to - from - (waitedMs() - waitedBeforeMs)).toBeLessThan(STOPPING.drainMs);
  });

  it('is refused on a port that is in use, and releases everything', inTurn, async () => {
    const first = await startServer(config, pino({ level: 'silent' }));
    const other = await createTestDatabase(engine);
    const taken = { ...environment, DATABASE_URL: other.url, PORT: new URL(first.url).port };
    await expect(startServer(readConfig(taken), pino({ level: 'silent' }))).rejects.toThrow(ConfigError);
    await first.close();
    const second = await startServer(readConfig(taken), pino({ level: 'silent' }));
    expect((await fetch(`${second.url}/health/ready`)).status).toBe(200);
    await second.close();
    await other.remove();
  });

  it(`${engine === 'sqlite' ? 'refuses' : 'accepts'} a second one on the same database`, inTurn, async () => {
    const first = await startServer(config, pino({ level: 'silent' }));
    const second = startServer(config, pino({ level: 'silent' }));
    if (engine === 'sqlite') await expect(second).rejects.toThrow('Another server is running');
    else await (await second).close();
    expect((await fetch(`${first.url}/health/ready`)).status).toBe(200);
    await first.close();
  });
});
