import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPostgresCounter } from '../../src/http/postgres-counter.ts';
import { createMemoryCounter } from '../../src/http/rate-limit.ts';
import { addressOf, withSettings } from '../../src/storage/postgres/address.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { executeOnServer } from '../helpers/postgres-server.ts';
import { observePostgres } from '../helpers/postgres-traffic.ts';

describe.each(engines)('the rate limit of an API key, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { rateLimitPerMinute: 3 } });
    // client and server share a process, so late headers do not mean a slow client
    Object.assign(app.server, { headersTimeout: 120_000, requestTimeout: 120_000 });
  });
  afterAll(() => app.close());

  it('is reported with every answer, with the remaining quota', async () => {
    const { apiKey: key } = await app.addAccount('Headers Ltd');
    const startedAt = performance.now();
    for (const left of [2, 1, 0]) {
      const { status, headers } = await app.call('GET', '/api/api-keys', { key });
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe('"minute";q=3;w=60');
      const [, seconds] = new RegExp(`^"minute";r=${left};t=(\\d+)$`).exec(headers.get('ratelimit') ?? '') ?? [];
      expect(Number(seconds)).toBeLessThanOrEqual(60);
      expect(Number(seconds)).toBeGreaterThanOrEqual(60 - Math.ceil((performance.now() - startedAt) / 1000));
      expect(headers.get('retry-after')).toBeNull();
    }
    const refused = await app.call('GET', '/api/api-keys', { key });
    expect(refused.status).toBe(429);
    expect(refused.body.error.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused.body.error.message).toMatch(/More than 3 requests a minute/);
    expect(refused.headers.get('ratelimit')).toMatch(/^"minute";r=0;t=\d+$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('is reported with errors as well, and they count', async () => {
    const { apiKey: key } = await app.addAccount('Refused Ltd');
    const invalid = await app.call('POST', '/api/api-keys', { key, body: {} });
    expect(invalid.status).toBe(400);
    expect(invalid.headers.get('ratelimit')).toMatch(/^"minute";r=2;/);
    const missing = await app.call('DELETE', '/api/api-keys/key_0', { key });
    expect(missing.status).toBe(404);
    expect(missing.headers.get('ratelimit')).toMatch(/^"minute";r=1;/);
  });

  it('refuses before a body is read', async () => {
    const { apiKey: key } = await app.addAccount('Early Ltd');
    for (let count = 0; count < 3; count++) await app.call('GET', '/api/api-keys', { key });
    expect((await app.call('POST', '/api/api-keys', { key, body: '{"broken' })).status).toBe(429);
  });

  it('of one key does not affect other keys, and each may have its own', async () => {
    const { apiKey: key } = await app.addAccount('Two keys Ltd');
    const wide = (await app.call('POST', '/api/api-keys', { key, body: { name: 'Wide', rateLimitPerMinute: 7 } })).body;
    for (let count = 0; count < 3; count++) await app.call('GET', '/api/api-keys', { key });
    expect((await app.call('GET', '/api/api-keys', { key })).status).toBe(429);
    const answer = await app.call('GET', '/api/api-keys', { key: wide.key });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('ratelimit-policy')).toBe('"minute";q=7;w=60');
    expect(answer.headers.get('ratelimit')).toMatch(/^"minute";r=6;/);
  });

  it('is exact under a burst: of 1,000 requests at once at limit 100, 100 are accepted', async () => {
    const owner = await app.addAccount('Burst Ltd');
    const body = { name: 'Burst', rateLimitPerMinute: 100 };
    const { key } = (await app.call('POST', '/api/api-keys', { key: owner.apiKey, body })).body;
    // a list waits for one of two connections, and a busy machine refuses it with 503
    const path = `/api/programs/${owner.programId}`;
    const answers = await Promise.all(Array.from({ length: 1000 }, () => app.call('GET', path, { key })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(100);
    expect(statuses.filter((status) => status === 429)).toHaveLength(900);
  });
});

describe.each(engines)('the rate limit of large bodies, on %s', (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it('keeps whoever may only read from occupying the process, and counts each key apart', async () => {
    const keyNamed = async (name: string) =>
      (await app.call('POST', '/api/api-keys', { body: { name, scope: 'read' } })).body.key as string;
    const explain = (key: string, bytes: number, headers = {}) =>
      app.call('POST', '/api/explain', { key, headers, body: { processor: 'stripe', body: ' '.repeat(bytes) } });
    const [key, other] = [await keyNamed('Greedy'), await keyNamed('Modest')];
    const statuses: number[] = [];
    for (let count = 0; count < 31; count += 1) statuses.push((await explain(key, 65_536)).status);
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
    const refused = await explain(key, 1, { 'content-encoding': 'gzip' });
    const policies = refused.headers.get('ratelimit-policy');
    expect(policies).toBe('"minute";q=100000;w=60, "large-bodies";q=30;w=60');
    expect(refused.headers.get('ratelimit')).toMatch(/^"minute";r=999\d\d;t=\d+, "large-bodies";r=0;t=\d+$/);
    expect(refused.body.error.message).toMatch(
      /^More than 30 requests a minute with bodies of more than 64 KiB; retry/,
    );
    expect((await explain(key, 1)).status).toBe(200);
    expect((await explain(other, 65_536)).status).toBe(200);
  });
});

describe.each(engines)("the rate limit of a partner's portal, on %s", (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  it('counts all tokens and the page together, changes also by themselves, and each partner alone', async () => {
    const tokenOf = async (name: string): Promise<string> => {
      const body = { partner: { email: `${name}@example.com` } };
      return (await app.call('POST', '/api/embed/token', { body })).body.publicToken;
    };
    const [first, second, other] = [await tokenOf('ana'), await tokenOf('ana'), await tokenOf('ben')];
    const change = async () => {
      const options = { key: other, body: { rail: 'paypal', email: 'ben@example.com' } };
      return (await app.call('PUT', '/api/embed/referrals/payout-details', options)).status;
    };
    const changes = await Promise.all(Array.from({ length: 31 }, change));
    expect(changes.filter((status) => status === 429)).toHaveLength(1);
    const body = { rail: 'paypal', email: 'ana@example.com' };
    const { headers } = await app.call('PUT', '/api/embed/referrals/payout-details', { key: first, body });
    expect(headers.get('ratelimit-policy')).toBe('"minute";q=600;w=60, "changes";q=30;w=60');
    expect(headers.get('ratelimit')).toMatch(/^"minute";r=599;t=\d+, "changes";r=29;t=\d+$/);
    const get = async (key: string) => (await app.call('GET', '/api/embed/referrals/terms', { key })).status;
    const statuses = await Promise.all(
      Array.from({ length: 600 }, (_, index) => get(index % 2 === 0 ? first : second)),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    const page = await app.call('GET', `/embed/referrals?token=${first}`, { key: null });
    expect([page.status, page.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(await get(other)).toBe(200);
  });
});

describe('several processes on one PostgreSQL database', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('postgres');
  });
  afterAll(() => app.close());

  it('share the count of a key', async () => {
    const refuse = () => undefined;
    const processes = [1, 2].map(() => createPostgresCounter(app.databaseUrl, refuse, { timeoutMs: 60_000 }));
    const counts = await Promise.all(
      Array.from({ length: 50 }, (_, index) => processes[index % 2]?.count('key_shared').then((c) => c.requestCount)),
    );
    await Promise.all(processes.map((counter) => counter.close()));
    expect(counts.sort((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it('count the requests of a key that arrive together with one statement', async () => {
    const observed = await observePostgres(app.databaseUrl);
    const counter = createPostgresCounter(observed.url, () => undefined, { timeoutMs: 60_000 });
    const { statements } = await observed.observe(async () => {
      const counts = await Promise.all(['key_a', 'key_b', 'key_a', 'key_a'].map((key) => counter.count(key)));
      expect(counts.map(({ requestCount }) => requestCount)).toEqual([1, 1, 2, 3]);
    });
    expect(statements).toHaveLength(2);
    await counter.close();
    await observed.close();
  });

  it('miss no count, even if the default isolation refuses concurrent changes of a row', async () => {
    const name = new URL(app.databaseUrl).pathname.slice(1);
    await executeOnServer(app.databaseUrl, `ALTER DATABASE ${name} SET default_transaction_isolation = serializable`);
    const url = withSettings(addressOf(app.databaseUrl));
    const counters = [1, 2, 3].map(() => createPostgresCounter(url, () => undefined, { timeoutMs: 60_000 }));
    await Promise.all(
      counters.map(async (counter) => {
        for (let count = 0; count < 30; count += 1) await counter.count('key_isolated');
        await counter.close();
      }),
    );
    const points = "SELECT points FROM rate_limits WHERE key = 'key_isolated'";
    expect(await executeOnServer(app.databaseUrl, points)).toEqual([{ points: 90 }]);
    await executeOnServer(app.databaseUrl, `ALTER DATABASE ${name} RESET default_transaction_isolation`);
  });

  it('end the window of a process whose clock was ahead within a minute, with all that it counted', async () => {
    const [ahead, right] = [1, 2].map(() => createPostgresCounter(app.databaseUrl, () => undefined));
    if (ahead === undefined || right === undefined) throw new Error('No counters');
    await ahead.count('key_ahead');
    await executeOnServer(app.databaseUrl, "UPDATE rate_limits SET expire = expire + 3600000 WHERE key = 'key_ahead'");
    const counted = await Promise.all([right.count('key_ahead'), right.count('key_ahead')]);
    expect(counted.map(({ requestCount }) => requestCount)).toEqual([2, 3]);
    for (const { resetMs } of [...counted, await ahead.count('key_ahead')]) expect(resetMs).toBeLessThanOrEqual(60_000);
    expect(await right.count('key_ahead')).toMatchObject({ requestCount: 5 });
    await Promise.all([ahead.close(), right.close()]);
  });

  it('leave no statements behind on the server while something locks the counts', async () => {
    const counter = createPostgresCounter(app.databaseUrl, () => undefined, { timeoutMs: 200 });
    const waiting = () =>
      executeOnServer(
        app.databaseUrl,
        `SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%rate_limits%'`,
      );
    const locking = new pg.Client(app.databaseUrl);
    await locking.connect();
    await locking.query('BEGIN; LOCK TABLE rate_limits');
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 4 }, (_, key) => counter.count(`key_locked_${round}_${key}`)));
    }
    await expect.poll(waiting).toEqual([]);
    await locking.end();
    await counter.close();
  });

  it('each count on their own while the database does not answer', async () => {
    const counter = createPostgresCounter('postgres://refbridge@127.0.0.1:9/none', () => undefined);
    expect((await counter.count('key_1')).requestCount).toBe(1);
    expect((await counter.count('key_1')).requestCount).toBe(2);
    await counter.close();
  });
});

describe('a count in memory', () => {
  it('is per key and reports when its minute ends', async () => {
    const counter = createMemoryCounter();
    await counter.count('key_1');
    const second = await counter.count('key_1');
    expect(second.requestCount).toBe(2);
    expect(second.resetMs).toBeGreaterThan(59_000);
    expect(second.resetMs).toBeLessThanOrEqual(60_000);
    expect((await counter.count('key_2')).requestCount).toBe(1);
  });

  it('ends within a minute after the clock was set back', async () => {
    vi.useFakeTimers({ now: Date.now() + 3_600_000, toFake: ['Date'] });
    const counter = createMemoryCounter();
    try {
      await counter.count('key_1');
    } finally {
      vi.useRealTimers();
    }
    const { requestCount, resetMs } = await counter.count('key_1');
    expect(requestCount).toBe(2);
    expect(resetMs).toBeLessThanOrEqual(60_000);
  });
});
