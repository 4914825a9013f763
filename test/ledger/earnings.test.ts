import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

const DAY_MS = 86_400_000;
const MONDAY = Date.UTC(2026, 10, 2, 9);

describe.each(engines)("a partner's earnings on %s", (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let now = MONDAY;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
    referrer = await createReferrer(app);
    await sell(app, referrer);
    await sell(app, referrer, { amount: 100, currency: 'jpy' });
    now = MONDAY + 2 * DAY_MS;
    const saleId = await sell(app, referrer, { amount: 5000 });
    await app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId: unique('re'), amount: 1000 } });
    now = MONDAY + 31 * DAY_MS;
  });
  afterEach(() => {
    now = MONDAY + 31 * DAY_MS;
  });
  afterAll(() => app.close());

  const earnings = (query = '') => app.call('GET', `/api/partners/${referrer.partnerId}/earnings${query}`);

  it('are one item per currency', async () => {
    expect((await earnings()).body).toEqual({
      data: [
        { currency: 'jpy', earned: 20, reversed: 0, held: 0, payable: 20, paid: 0 },
        { currency: 'usd', earned: 3000, reversed: 200, held: 800, payable: 2000, paid: 0 },
      ],
    });
  });

  it('of a period cover the entries created in it', async () => {
    expect((await earnings('?from=2026-11-03&to=2026-11-30T00:00:00Z')).body.data).toEqual([
      { currency: 'usd', earned: 1000, reversed: 200, held: 800, payable: 0, paid: 0 },
    ]);
    expect((await earnings('?to=2026-11-02T09:00:00Z')).body.data).toEqual([]);
    expect((await earnings('?from=2026-11-02T10:00:00%2B01:00&to=2026-11-03')).body.data).toHaveLength(2);
    expect((await earnings('?from=2026-11-02T10:00:00Z&to=2026-11-30')).body.data).toMatchObject([{ earned: 1000 }]);
    const ofAnHour = (await earnings('?from=2026-11-02T08:30:00Z&to=2026-11-02T09:30:00Z')).body.data;
    expect(ofAnHour).toMatchObject([{ earned: 20 }, { earned: 2000 }]);
  });

  it('that become due later today are held until their hour', async () => {
    const dueAt = MONDAY + 30 * DAY_MS;
    for (const [time, held, payable] of [
      [dueAt - 1, 2000, 0],
      [dueAt, 0, 2000],
    ] as const) {
      now = time;
      const [yen, dollars] = (await earnings()).body.data;
      expect(yen).toMatchObject({ held: held / 100, payable: payable / 100 });
      expect(dollars).toMatchObject({ held: 800 + held, payable });
      const byDay = (await earnings('?from=2026-11-02&to=2026-11-05&interval=day')).body.data;
      expect(byDay).toMatchObject([
        { currency: 'jpy', held: held / 100, payable: payable / 100 },
        { currency: 'usd', held, payable },
        { currency: 'usd', held: 800, payable: 0 },
      ]);
    }
  });

  it('by day are one item per day and currency, in order, without empty days', async () => {
    for (const start of ['2026-11-01', '2026-11-02T08:00:00Z']) {
      const { body } = await earnings(`?from=${start}&to=2026-12-01&interval=day`);
      expect(
        body.data.map(({ from, currency, earned, reversed }: Record<string, unknown>) => [
          from,
          currency,
          earned,
          reversed,
        ]),
      ).toEqual([
        ['2026-11-02T00:00:00.000Z', 'jpy', 20, 0],
        ['2026-11-02T00:00:00.000Z', 'usd', 2000, 0],
        ['2026-11-04T00:00:00.000Z', 'usd', 1000, 200],
      ]);
    }
    expect((await earnings('?interval=day&from=2025-11-05&to=2026-11-06')).body.data).toHaveLength(3);
  });

  it('that become due later on one day are held, whichever day they were created on', async () => {
    const noor = await createReferrer(app);
    const hold = (holdDays: number) => app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays } });
    const dueAt = MONDAY + 70 * DAY_MS;
    for (const [holdDays, amount] of [
      [30, 1000],
      [29, 2000],
    ] as const) {
      await hold(holdDays);
      now = dueAt - holdDays * DAY_MS;
      await sell(app, noor, { amount });
    }
    await hold(30);
    now = dueAt - 1;
    const { body } = await app.call('GET', `/api/partners/${noor.partnerId}/earnings`);
    expect(body.data).toMatchObject([{ earned: 600, held: 600, payable: 0 }]);
  });

  it.each([
    '?from=yesterday',
    '?from=2026-11-02&to=2026-11-02',
    '?interval=day',
    '?interval=hour&from=2026-01-01&to=2026-02-01',
    '?interval=day&from=2025-11-05&to=2026-11-07',
  ])('%s is a VALIDATION_ERROR', async (query) => {
    const answer = await earnings(query);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('of a missing partner are NOT_FOUND', async () => {
    expect((await app.call('GET', '/api/partners/ptr_unknown/earnings')).status).toBe(404);
  });
});
