import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { clickIdIn, clicksOf, createLink, visit } from '../helpers/visitors.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LIMIT = 5;
const DESTINATION = 'https://shop.example.com/?plan=pro';
const from = (address: string) => ({ 'x-forwarded-for': address });

describe('clicks from one address', () => {
  let app: TestApp;
  let now = Date.parse('2026-11-21T12:00:00Z');
  const warnings: Record<string, unknown>[] = [];
  beforeAll(async () => {
    app = await createTestApp('sqlite', {
      service: { clock: () => now, clicksPerMinute: LIMIT },
      trustProxy: 1,
      metrics: { kind: 'public' },
      log: pino({ level: 'warn' }, { write: (line) => warnings.push(JSON.parse(line)) }),
    });
  });
  afterAll(() => app.close());
  const limitedCount = async () =>
    /^refbridge_clicks_limited_total (\d+)$/m.exec((await app.call('GET', '/metrics')).text)?.[1];

  it('are redirected, but not recorded beyond the limit of a minute; a metric and one line say so', async () => {
    const link = await createLink(app, { url: DESTINATION });
    const answers = [];
    for (let n = 0; n < 3 * LIMIT; n++) answers.push(await visit(app, `/${link.key}`, from('203.0.113.1')));
    expect(answers.map(({ status }) => status)).toEqual(Array(3 * LIMIT).fill(302));
    expect(answers.filter((answer) => clickIdIn(answer) !== null)).toHaveLength(LIMIT);
    expect(answers[0]?.headers.get('x-refbridge-click')).toBeNull();
    expect(answers.at(-1)?.headers.get('x-refbridge-click')).toBe('none; reason=rate');
    expect(answers.at(-1)?.headers.get('location')).toBe(DESTINATION);
    expect(await clicksOf(app, link)).toHaveLength(LIMIT);
    expect(await limitedCount()).toBe(String(2 * LIMIT));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.msg).toContain('TRUST_PROXY');

    expect(clickIdIn(await visit(app, `/${link.key}`, from('203.0.113.2')))).not.toBeNull();
    now += MINUTE_MS;
    expect(clickIdIn(await visit(app, `/${link.key}`, from('203.0.113.1')))).not.toBeNull();
  });

  it('count by network on IPv6, where one customer has many addresses', async () => {
    const link = await createLink(app);
    const visits = Array.from({ length: 2 * LIMIT }, (_, n) => visit(app, `/${link.key}`, from(`2001:db8::${n + 1}`)));
    const recorded = (await Promise.all(visits)).filter((answer) => clickIdIn(answer) !== null);
    expect(recorded).toHaveLength(LIMIT);
  });

  it('that are not visits of people do not use up the limit', async () => {
    const link = await createLink(app);
    const bot = { ...from('203.0.113.3'), 'user-agent': 'curl/8.5.0' };
    for (let n = 0; n < 2 * LIMIT; n++) await visit(app, `/${link.key}`, bot);
    expect(clickIdIn(await visit(app, `/${link.key}`, from('203.0.113.3')))).not.toBeNull();
  });
});

describe('a visitor who returns within the hour', () => {
  it.each([
    ['visits', 3],
    ['visitors', 1],
  ] as const)('is counted with %s as %i, and gets a click id each time', async (clickStatistics, count) => {
    let now = Date.parse('2026-11-21T12:00:00Z');
    const app = await createTestApp('sqlite', { service: { clock: () => now, clickStatistics } });
    const link = await createLink(app);
    const counted = async () => (await app.call('GET', `/api/links/${link.id}`)).body.clicks;
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await visit(app, `/${link.key}`));
    expect(new Set(answers.map(clickIdIn)).size).toBe(3);
    expect(await clicksOf(app, link)).toHaveLength(3);
    expect(await counted()).toBe(count);
    await visit(app, `/${link.key}`, { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' });
    expect(await counted()).toBe(count + 1);
    now += HOUR_MS;
    await visit(app, `/${link.key}`);
    expect(await counted()).toBe(count + 2);
    await app.close();
  });

  it('is counted once in each hour, wherever in a visit the hour ends', async () => {
    const NOON = Date.parse('2026-11-21T12:00:00Z');
    let now = NOON;
    const clock = () => now++;
    const app = await createTestApp('sqlite', { service: { clock, clickStatistics: 'visitors' } });
    const hours = [NOON - HOUR_MS, NOON].map((from) => [from, from + HOUR_MS].map((at) => new Date(at).toISOString()));
    for (let readings = 0; readings < 25; readings++) {
      const link = await createLink(app);
      now = NOON - readings;
      for (let n = 0; n < 3; n++) await visit(app, `/${link.key}`);
      const visitedHours = new Set((await clicksOf(app, link)).map(({ createdAt }) => Math.floor(createdAt / HOUR_MS)));
      const counts = await Promise.all(
        hours.map(([from, to]) => app.call('GET', `/api/links/${link.id}?from=${from}&to=${to}`)),
      );
      expect([readings, ...counts.map(({ body }) => body.clicks)]).toEqual([
        readings,
        ...[NOON - HOUR_MS, NOON].map((hour) => (visitedHours.has(hour / HOUR_MS) ? 1 : 0)),
      ]);
    }
    await app.close();
  });
});
