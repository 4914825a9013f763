import BetterSqlite3 from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/storage/open.ts';
import { type Answer, createTestApp, type TestApp } from '../helpers/app.ts';
import { createTestDatabase, engines } from '../helpers/databases.ts';
import { startOwnTime } from '../helpers/own-time.ts';
import { createPostgresProxy } from '../helpers/postgres-proxy.ts';
import { clickIdIn, clicksOf, createLink, visit } from '../helpers/visitors.ts';

const DESTINATION = 'https://shop.example.com/?plan=pro';
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** The timeout of one second, plus the delay of a busy machine. */
const WAIT_MAX_MS = 2_500;

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Stage {
  app: TestApp;
  log: Record<string, unknown>[];
  /** Advances the clock by this many milliseconds. */
  later(ms: number): void;
}

async function stage(engine: (typeof engines)[number], database?: TestApp['service']['database']): Promise<Stage> {
  let now = Date.parse('2026-11-21T12:00:00Z');
  const log: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void log.push(JSON.parse(line)) };
  const service = { clock: () => now, ...(database ? { database } : {}) };
  const app = await createTestApp(engine, {
    service,
    log: pino({ level: 'warn' }, stream),
    metrics: { kind: 'public' },
  });
  endings.push(() => app.close());
  const later = (ms: number) => {
    now += ms;
  };
  return { app, log, later };
}

async function clicksLost(app: TestApp): Promise<number> {
  const { text } = await app.call('GET', '/metrics');
  return Number(/^refbridge_clicks_lost_total (\d+)$/m.exec(text)?.[1]);
}

describe.each(engines)('when the database is unreachable, on %s', (engine) => {
  it('a visitor of a known link is redirected, and the lost click is counted and logged', async () => {
    const { app, log, later } = await stage(engine);
    const link = await createLink(app, { url: DESTINATION });
    expect(clickIdIn(await visit(app, `/${link.key}`))).toMatch(/^clk_/);
    const before = await clicksLost(app);
    await app.service.database.close();
    for (const wait of [0, 2 * SECOND_MS, HOUR_MS - 3 * SECOND_MS]) {
      later(wait);
      const answer = await visit(app, `/${link.key}?utm_source=mail`);
      expect([answer.status, answer.headers.get('location')]).toEqual([302, `${DESTINATION}&utm_source=mail`]);
    }
    expect(await clicksLost(app)).toBe(before + 3);
    const losses = log.filter(({ msg }) => msg === 'click lost: the visitor was redirected without a click id');
    expect(losses).toHaveLength(3);
    for (const loss of losses) expect(loss).toMatchObject({ linkId: link.id, reason: expect.any(String) });
    expect(JSON.stringify(log)).not.toContain('127.0.0.1');
  });

  it('lost clicks have 20 lines in the log a second, then one that counts the others', async () => {
    const { app, log } = await stage(engine);
    const { key } = await createLink(app);
    await visit(app, `/${key}`);
    await app.service.database.close();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    endings.push(async () => vi.useRealTimers());
    const saying = (start: string) => log.filter(({ msg }) => String(msg).startsWith(start));
    for (const second of [1, 2]) {
      await Promise.all(Array.from({ length: 100 }, () => visit(app, `/${key}`)));
      expect(saying('click lost')).toHaveLength(20 * second);
      vi.advanceTimersByTime(SECOND_MS);
      expect(saying('more clicks were lost').map(({ count }) => count)).toEqual(Array(second).fill(80));
    }
  });

  it('a link that is not cached shows a page that asks to try again', async () => {
    const { app, later } = await stage(engine);
    const [seen, unseen] = [await createLink(app), await createLink(app)];
    await visit(app, `/${seen.key}`);
    await app.service.database.close();
    later(HOUR_MS + 1);
    for (const { key } of [seen, unseen]) {
      const answer = await visit(app, `/${key}`);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.text).toMatch(/try again/);
    }
  });

  it('a page that reports a visit is asked to retry, and may read that answer', async () => {
    const { app } = await stage(engine);
    const { key } = await createLink(app);
    await app.service.database.close();
    const body = { domain: new URL(app.url).host, key };
    const answer = await app.call('POST', '/api/track/click', { key: null, body });
    expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE']);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('when the database does not answer', () => {
  it('a locked SQLite file delays a visitor for a second, and no click is stored for a visitor redirected without an id', async () => {
    const { app, later } = await stage('sqlite');
    const link = await createLink(app, { url: DESTINATION });
    await visit(app, `/${link.key}`);
    const locker = new BetterSqlite3(app.databaseUrl.slice('file:'.length));
    endings.push(async () => locker.close());
    locker.exec('BEGIN IMMEDIATE');
    later(2 * SECOND_MS);
    const ownMs = await startOwnTime();
    const answers = await Promise.all(Array.from({ length: 20 }, () => visit(app, `/${link.key}`)));
    expect(ownMs()).toBeLessThan(WAIT_MAX_MS);
    expect(new Set(answers.map(({ headers }) => headers.get('location')))).toEqual(new Set([DESTINATION]));
    locker.exec('COMMIT');
    const next = await visit(app, `/${link.key}`);
    expect((await clicksOf(app, link)).map(({ id }) => id)).toEqual([expect.any(String), clickIdIn(next)]);
    expect((await app.call('GET', `/api/links/${link.id}`)).body.clicks).toBe(2);
  });

  it('a full SQLite file lets visitors pass, and records again once there is space', async () => {
    const test = await createTestDatabase('sqlite');
    endings.push(() => test.remove());
    const { app } = await stage('sqlite', test.database);
    const link = await createLink(app, { url: DESTINATION });
    const pages = (count: number) => test.database.write((tx) => tx.all(`PRAGMA max_page_count = ${count}`));
    await pages(1);
    const answers: Answer[] = [];
    while (answers.length < 400 && answers.every((answer) => clickIdIn(answer) !== null)) {
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => visit(app, `/${link.key}`)))));
    }
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([302]));
    const given = answers.map(clickIdIn).filter((id) => id !== null);
    expect(given.length).toBeLessThan(answers.length);
    await pages(1_000_000);
    given.push(clickIdIn(await visit(app, `/${link.key}`)) ?? 'none');
    expect((await clicksOf(app, link)).map(({ id }) => id).sort()).toEqual(given.sort());
  });

  it('an unreachable PostgreSQL server delays a visitor for a second or two, and is used again when it is back', async () => {
    const test = await createTestDatabase('postgres');
    endings.push(() => test.remove());
    const proxy = await createPostgresProxy(test.url);
    endings.push(() => proxy.close());
    const database = await openDatabase(proxy.url);
    endings.push(() => database.close());
    const { app, later } = await stage('postgres', database);
    const link = await createLink(app, { url: DESTINATION });
    await visit(app, `/${link.key}`);
    for (const interrupt of [proxy.breakAll, proxy.swallowAll]) {
      interrupt();
      for (const wait of [0, 2 * SECOND_MS]) {
        later(wait);
        const ownMs = await startOwnTime();
        const answer = await visit(app, `/${link.key}`);
        expect([answer.status, answer.headers.get('location')]).toEqual([302, DESTINATION]);
        expect(ownMs()).toBeLessThan(WAIT_MAX_MS);
      }
      proxy.mend();
      later(2 * SECOND_MS);
      await expect.poll(async () => clickIdIn(await visit(app, `/${link.key}`))).toMatch(/^clk_/);
    }
  });
});
