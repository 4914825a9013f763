import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { METRICS_OFF } from '../../src/app/metrics.ts';
import { ServiceError } from '../../src/errors.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { DatabaseFailure } from '../../src/storage/database.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { beginPost } from '../helpers/raw-connection.ts';
import { createEndpoint } from '../helpers/story.ts';

let app: TestApp;
afterEach(() => app.close());

describe.each(engines)('health, on %s', (engine) => {
  it('is ready when the database answers, commits durably and has its schema', async () => {
    app = await createTestApp(engine);
    const answer = await app.call('GET', '/health/ready', { key: null });
    expect(answer.status).toBe(200);
    const synchronous = engine === 'sqlite' ? 'FULL' : 'on';
    const checks = { database: 'ok', synchronous, migrations: 'ok', writes: 'ok' };
    expect(answer.body).toEqual({ status: 'ok', checks, problems: [] });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('is live but not ready when the database fails', async () => {
    app = await createTestApp(engine);
    vi.spyOn(app.service.database, 'read').mockRejectedValue(new Error('connection refused to db.example.com'));
    const answer = await app.call('GET', '/health/ready', { key: null });
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({
      status: 'failed',
      checks: { database: 'failed', synchronous: null, migrations: 'failed', writes: 'ok' },
      problems: ['The database does not answer: check that it is running, and DATABASE_URL'],
    });
    expect((await app.call('GET', '/health/live', { key: null })).body).toEqual({ status: 'ok' });
    vi.restoreAllMocks();
  });

  it('names a database that cannot be reached once, without advice about its disk', async () => {
    app = await createTestApp(engine);
    const failure = new DatabaseFailure('The database cannot be reached', true, undefined);
    const unreachable = new ServiceError('UNAVAILABLE', 'Try again', { cause: failure });
    for (const method of ['read', 'write'] as const) {
      vi.spyOn(app.service.database, method).mockRejectedValue(unreachable);
    }
    const { body } = await app.call('GET', '/health/ready', { key: null });
    expect(body).toEqual({
      status: 'failed',
      checks: { database: 'failed', synchronous: null, migrations: 'failed', writes: 'failed' },
      problems: ['The database cannot be used: The database cannot be reached'],
    });
    vi.restoreAllMocks();
  });

  it('is live at once while the database never answers: the answer waits for nothing', async () => {
    app = await createTestApp(engine);
    const { database } = app.service;
    const asked: string[] = [];
    for (const method of ['read', 'write', 'report', 'durability'] as const) {
      vi.spyOn(database, method).mockImplementation(() => {
        asked.push(method);
        return new Promise(() => {});
      });
    }
    // other requests wait meanwhile, and are not affected
    const pending = ['/health/ready', '/api/partners', '/a-link'].map((path) =>
      fetch(app.url + path, { headers: { authorization: `Bearer ${app.apiKey}` }, redirect: 'manual' }).catch(() => {}),
    );
    // all that they ask for before they wait
    await expect.poll(() => asked.length).toBe(5);
    const isAnswered: boolean[] = [];
    app.server.on('request', ({ url }, response) => {
      if (url === '/health/live') setImmediate(() => isAnswered.push(response.writableEnded));
    });
    for (let round = 0; round < 5; round += 1) {
      expect((await app.call('GET', '/health/live', { key: null })).body).toEqual({ status: 'ok' });
    }
    expect(isAnswered).toEqual([true, true, true, true, true]);
    expect(asked.length).toBe(5);
    vi.restoreAllMocks();
    app.server.closeAllConnections();
    await Promise.all(pending);
  });

  it('is not ready when commits are not durable', async () => {
    app = await createTestApp(engine);
    const synchronous = engine === 'sqlite' ? 'NORMAL' : 'synchronous_commit=off';
    vi.spyOn(app.service.database, 'durability').mockResolvedValue({ synchronous });
    const answer = await app.call('GET', '/health/ready');
    expect(answer.status).toBe(503);
    expect(answer.body.problems).toEqual([
      expect.stringContaining(`Commits are not durable: synchronous is ${synchronous}`),
    ]);
    vi.restoreAllMocks();
  });

  it('is not ready when the database has lost its migrations', async () => {
    app = await createTestApp(engine);
    await app.service.database.write((tx) => tx.run('DELETE FROM schema_migrations'));
    const answer = await app.call('GET', '/health/ready');
    expect([answer.status, answer.body.checks.migrations]).toEqual([503, 'failed']);
  });

  it('is not ready when a newer release has migrated the database, and says which versions differ', async () => {
    app = await createTestApp(engine);
    const { schemaVersion } = app.service.database;
    const newer = { version: schemaVersion + 1, name: 'of_tomorrow', checksum: 'x', at: 1 };
    await app.service.database.write((tx) =>
      tx.run(
        'INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (@version, @name, @checksum, @at)',
        newer,
      ),
    );
    const answer = await app.call('GET', '/health/ready', { key: null });
    expect([answer.status, answer.body.checks.migrations]).toEqual([503, 'failed']);
    const versions = `schema version ${schemaVersion + 1}, but this program knows only ${schemaVersion}`;
    expect(answer.body.problems).toEqual([expect.stringContaining(versions)]);
  });

  it('is not ready while writes are not stored, says so without waiting for them, and recovers', async () => {
    app = await createTestApp(engine);
    const { promise: unlocked, resolve: unlock } = Promise.withResolvers<void>();
    const write = vi.spyOn(app.service.database, 'write').mockImplementation(async (unit) => {
      write.mockRestore();
      await unlocked;
      return app.service.database.write(unit);
    });
    const first = await app.call('GET', '/health/ready', { key: null });
    expect([first.status, first.body.checks.writes]).toEqual([503, 'failed']);
    expect(first.body.problems).toEqual([expect.stringMatching(/^Writes do not complete: one has waited/)]);
    const startedAt = performance.now();
    const second = await app.call('GET', '/health/ready', { key: null });
    expect([second.status, second.body.checks.database]).toEqual([503, 'ok']);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    unlock();
    await expect.poll(async () => (await app.call('GET', '/health/ready', { key: null })).status).toBe(200);
  });

  it('checks writes with one that leaves nothing behind, at most once in some seconds', async () => {
    app = await createTestApp(engine);
    const write = vi.spyOn(app.service.database, 'write');
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.call('GET', '/health/ready')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    // in this service, nothing else writes here except for the time of the key's last use
    const probes = write.mock.calls.filter(([unit]) => unit.name === 'writeProbe');
    expect(probes).toHaveLength(1);
    const left = "SELECT key FROM rate_limits WHERE key LIKE 'write probe%'";
    expect(await app.service.database.read((tx) => tx.all(left))).toEqual([]);
    vi.restoreAllMocks();
  });

  it('is not ready, and closes connections, as soon as the server is told to stop', async () => {
    app = await createTestApp(engine);
    app.lifecycle.draining = true;
    const answer = await app.call('GET', '/health/ready');
    expect([answer.status, answer.body.status]).toEqual([503, 'draining']);
    expect(answer.headers.get('connection')).toBe('close');
    expect((await app.call('GET', '/api/api-keys')).status).toBe(200);
  });
});

describe('metrics', () => {
  const metricsOf = async (access: TestAppOptions['metrics'], headers: Record<string, string> = {}) => {
    app = await createTestApp('sqlite', access === undefined ? {} : { metrics: access });
    await app.call('GET', '/api/api-keys');
    await app.call('GET', '/nowhere/at/all');
    return app.call('GET', '/metrics', { key: null, headers });
  };

  it('are off by default', async () => {
    expect((await metricsOf(undefined)).status).toBe(404);
    expect(await createMetrics({ kind: 'off' }, { droppedLogLines: () => 0, stoppedReports: () => 0 })).toBe(
      METRICS_OFF,
    );
  });

  it('distinguish requests by route, method and status', async () => {
    const answer = await metricsOf({ kind: 'public' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    expect(answer.text).toMatch(
      /refbridge_http_request_duration_seconds_count\{route="\/api\/api-keys",method="GET",status="200"\} [1-9]/,
    );
    expect(answer.text).toMatch(/_count\{route="none",method="GET",status="404"\} [1-9]/);
    expect(answer.text).not.toContain('/nowhere');
    expect(answer.text).toContain('# TYPE refbridge_deliveries_total counter');
    expect(answer.text).toContain('process_cpu_seconds_total');
  });

  it('count clients that disconnected before their answer as 499, and measure time in seconds', async () => {
    app = await createTestApp('sqlite', { metrics: { kind: 'public' } });
    const { id } = await createEndpoint(app, 'stripe');
    const { socket } = await beginPost(app.url, `/webhooks/stripe/${id}`, 100);
    await sleep(300);
    socket.destroy();
    const counted = /_sum\{route="\/webhooks\/:processor\/:endpointId",method="POST",status="499"\} (\S+)/;
    const sum = async () => Number(counted.exec((await app.call('GET', '/metrics', { key: null })).text)?.[1]);
    await expect.poll(sum).toBeGreaterThan(0.25);
    expect(await sum()).toBeLessThan(30);
  });

  it('count deliveries by outcome, refused ones as rejected', async () => {
    app = await createTestApp('sqlite', { metrics: { kind: 'public' } });
    const endpoint = await createEndpoint(app, 'stripe');
    const before = await app.call('GET', '/metrics', { key: null });
    // an alert does not see a counter begin with 1
    expect(before.text).toContain('refbridge_deliveries_total{processor="stripe",outcome="rejected"} 0\n');
    await endpoint.deliver({ id: 'evt_1', object: 'event', type: 'invoice.paid' });
    await app.call('POST', `/webhooks/stripe/${endpoint.id}`, { key: null, body: {} });
    const { text } = await app.call('GET', '/metrics', { key: null });
    expect(text).toContain('refbridge_deliveries_total{processor="stripe",outcome="unknown"} 1\n');
    expect(text).toContain('refbridge_deliveries_total{processor="stripe",outcome="rejected"} 1\n');
  });

  it.each(['/metrics/', '/METRICS', '/Metrics/', '//metrics', '//metrics?'])(
    'are not at %s, which a proxy may let through',
    async (path) => {
      app = await createTestApp('sqlite', { metrics: { kind: 'public' } });
      expect((await app.call('GET', path, { key: null })).status).toBe(404);
      expect((await app.call('GET', '/metrics?name[]=up', { key: null })).status).toBe(200);
    },
  );

  it.each(['/METRICS#/metrics', '/metrics/#/metrics', '/METRICS?#/metrics'])(
    'are not at %s, of which a proxy compares what is before the fragment',
    async (path) => {
      app = await createTestApp('sqlite', { metrics: { kind: 'public' } });
      // `fetch` would not send the fragment
      const [response] = await once(request(app.url, { path }).end(), 'response');
      response.resume();
      expect(response.statusCode).toBe(404);
    },
  );

  it('behind a token require exactly that token', async () => {
    const access = { kind: 'token', token: 'scrape-0123456789' } as const;
    expect((await metricsOf(access)).status).toBe(401);
    await app.close();
    expect((await metricsOf(access, { authorization: 'Bearer scrape-012345678' })).status).toBe(401);
    await app.close();
    expect((await metricsOf(access, { authorization: 'Bearer scrape-0123456789' })).status).toBe(200);
  });
});
