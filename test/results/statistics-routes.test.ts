import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const at = (time: string) => Date.parse(`${time}Z`);
const NOTHING = { clicks: 0, leads: 0, sales: 0, revenue: {}, commission: {} };

describe.each(engines)('GET /api/statistics on %s', (engine) => {
  let app: TestApp;
  let now: number;
  let pia: Referrer;
  beforeAll(async () => {
    now = at('2026-10-01T00:00');
    app = await createTestApp(engine, { service: { clock: () => now } });
    pia = await createReferrer(app);
    now = at('2026-10-20T12:00');
    await sell(app, pia, { amount: 5_000 });
    now = at('2026-11-01T23:59');
    await sell(app, pia);
    await sell(app, pia, { currency: 'eur', amount: 500 });
    now = at('2026-11-10T08:00');
  });
  afterAll(() => app.close());

  const get = async (query: string) => (await app.call('GET', `/api/statistics?${query}`)).body;
  const november1 = {
    clicks: 2,
    leads: 0,
    sales: 2,
    revenue: { eur: 500, usd: 10_000 },
    commission: { eur: 100, usd: 2_000 },
  };
  const october20 = { clicks: 1, leads: 0, sales: 1, revenue: { usd: 5_000 }, commission: { usd: 1_000 } };

  it('returns every day of the period, empty ones too, and compares with the days before', async () => {
    expect(await get('from=2026-10-31&to=2026-11-03')).toEqual({
      from: '2026-10-31',
      to: '2026-11-03',
      data: [
        { start: '2026-10-31', ...NOTHING },
        { start: '2026-11-01', ...november1 },
        { start: '2026-11-02', ...NOTHING },
      ],
      totals: november1,
      previous: NOTHING,
    });
    const { previous } = await get('from=2026-10-30&to=2026-11-09');
    expect(previous).toEqual(october20);
  });

  it('covers the last 30 days by default, today included', async () => {
    const { from, to, data, totals } = await get('');
    expect([from, to, data.length]).toEqual(['2026-10-12', '2026-11-11', 30]);
    expect(totals).toMatchObject({ sales: 3, revenue: { eur: 500, usd: 15_000 } });
    expect(Object.keys(totals.revenue)).toEqual(['eur', 'usd']);
  });

  it('covers 30 days from a start without an end', async () => {
    const { from, to, data, totals } = await get('from=2026-10-20');
    expect([from, to, data.length, totals.sales]).toEqual(['2026-10-20', '2026-11-19', 30, 3]);
  });

  it('returns whole weeks and months, also for one partner, and for an unknown one', async () => {
    const weeks = await get(`interval=week&from=2026-10-21&to=2026-11-03&partnerId=${pia.partnerId}`);
    expect(weeks.data.map(({ start, sales }: { start: string; sales: number }) => [start, sales])).toEqual([
      ['2026-10-19', 0],
      ['2026-10-26', 2],
      ['2026-11-02', 0],
    ]);
    const months = await get('interval=month&from=2026-01-01&to=2027-01-01');
    expect(months.data.map(({ sales }: { sales: number }) => sales)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0]);
    expect((await get('partnerId=ptr_nobody')).totals).toEqual(NOTHING);
  });

  it('refuses more than 400 intervals, parts of days, a period that ends early, other years and unknown members', async () => {
    const refusals = {
      'from=2025-01-01&to=2026-02-06': 'interval',
      'from=2026-01-01T10:00:00Z': 'from',
      'from=2026-02-01&to=2026-01-01': 'to',
      'interval=hour': 'interval',
      'to=0000-01-01': 'from',
      'from=0050-01-01&to=0051-01-01&interval=month': 'from',
      'to=1970-01-30': 'from',
      'from=9999-12-31': 'to',
      'partner=ptr_1': 'partner',
    };
    for (const [query, path] of Object.entries(refusals)) {
      const { error } = await get(query);
      expect([query, error?.code, error?.details?.[0]?.path]).toEqual([query, 'VALIDATION_ERROR', path]);
    }
    expect((await get('from=2025-01-01&to=2026-02-05')).data).toHaveLength(400);
    const [first, last] = [await get('to=1970-01-31'), await get('from=9999-12-01')];
    expect([first.from, first.data.length, last.to, last.data.length]).toEqual(['1970-01-01', 30, '9999-12-31', 30]);
  });
});
