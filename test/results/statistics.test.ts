import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findStatistics, type StatisticsQuery } from '../../src/results/statistics.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { sell } from '../helpers/earning.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const at = (time: string) => Date.parse(`${time}Z`);
const ALL = { from: null, to: null, programId: null, partnerId: null, linkId: null };

describe.each(engines)('the statistics of an account on %s', (engine) => {
  let app: TestApp;
  let now: number;
  let pia: Referrer;
  let bo: Referrer;
  let secondProgramId: string;
  beforeAll(async () => {
    now = at('2026-10-01T00:00');
    app = await createTestApp(engine, { service: { clock: () => now } });
    pia = await createReferrer(app);
    secondProgramId = (await app.call('POST', '/api/programs', { body: { name: 'Second' } })).body.id;
    bo = await createReferrer(app, { programId: secondProgramId });
    now = at('2026-10-31T23:59:59.999');
    const saleId = await sell(app, pia);
    // a Sunday
    now = at('2026-11-01T00:00');
    await pia.lead('user_1');
    await sell(app, pia, { currency: 'eur', amount: 500 });
    now = at('2026-11-02T12:00');
    await sell(app, bo, { amount: 300 });
    await app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId: 're_1', amount: 5_000 } });
  });
  afterAll(() => app.close());

  const statistics = (query: Partial<StatisticsQuery>) =>
    findStatistics(app.service, app.accountId, { interval: 'day', ...ALL, ...query });

  const october31 = { clicks: 1, leads: 0, sales: 1, revenue: { usd: 10_000 }, earnedCommission: { usd: 1_000 } };
  const november1 = { clicks: 2, leads: 1, sales: 1, revenue: { eur: 500 }, earnedCommission: { eur: 100 } };
  const november2 = { clicks: 1, leads: 0, sales: 1, revenue: { usd: 300 }, earnedCommission: { usd: 60 } };

  it('are by day, with a refund on the day of its sale', async () => {
    expect(await statistics({})).toEqual([
      { start: '2026-10-31', ...october31 },
      { start: '2026-11-01', ...november1 },
      { start: '2026-11-02', ...november2 },
    ]);
  });

  it('are by week, which begins on Monday', async () => {
    expect(await statistics({ interval: 'week' })).toEqual([
      {
        start: '2026-10-26',
        clicks: 3,
        leads: 1,
        sales: 2,
        revenue: { usd: 10_000, eur: 500 },
        earnedCommission: { usd: 1_000, eur: 100 },
      },
      { start: '2026-11-02', ...november2 },
    ]);
  });

  it('are by month', async () => {
    const months = await statistics({ interval: 'month' });
    expect(months.map(({ start, sales }) => [start, sales])).toEqual([
      ['2026-10-01', 1],
      ['2026-11-01', 2],
    ]);
  });

  it('can be for a program, a partner, a link, or a combination of these', async () => {
    const startsOf = async (query: Partial<StatisticsQuery>) => (await statistics(query)).map(({ start }) => start);
    const ofPia = ['2026-10-31', '2026-11-01'];
    expect(await startsOf({ programId: app.programId })).toEqual(ofPia);
    expect(await startsOf({ programId: secondProgramId })).toEqual(['2026-11-02']);
    expect(await startsOf({ partnerId: pia.partnerId })).toEqual(ofPia);
    expect(await startsOf({ linkId: bo.linkId })).toEqual(['2026-11-02']);
    expect(await startsOf({ linkId: bo.linkId, partnerId: bo.partnerId, programId: secondProgramId })).toEqual([
      '2026-11-02',
    ]);
    expect(await startsOf({ linkId: bo.linkId, partnerId: pia.partnerId })).toEqual([]);
    expect(await startsOf({ linkId: bo.linkId, programId: app.programId })).toEqual([]);
    expect(await startsOf({ partnerId: bo.partnerId, programId: app.programId })).toEqual([]);
  });

  it('can be for the days in a period', async () => {
    const [from, to] = [at('2026-11-01T00:00'), at('2026-11-02T00:00')];
    expect(await statistics({ from, to })).toEqual([{ start: '2026-11-01', ...november1 }]);
    expect(await statistics({ interval: 'week', to })).toEqual([
      expect.objectContaining({ start: '2026-10-26', sales: 2 }),
    ]);
    await expect(statistics({ from, to: from })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(statistics({ from, to: to + 1 })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'to', message: expect.stringContaining('start of a day') }],
    });
  });

  it('contain nothing for another account', async () => {
    const { accountId } = await app.addAccount('Stranger Ltd');
    for (const filter of [{}, { programId: app.programId }, { partnerId: pia.partnerId }, { linkId: pia.linkId }]) {
      const query = { interval: 'day' as const, ...ALL, ...filter };
      expect(await findStatistics(app.service, accountId, query)).toEqual([]);
    }
  });

  it('add up the days of an interval', async () => {
    const december = { interval: 'month', from: at('2026-12-01T00:00'), to: at('2027-01-01T00:00') } as const;
    for (const [time, amount] of [
      ['2026-12-01T10:00', 1_000],
      ['2026-12-31T10:00', 2_500],
    ] as const) {
      now = at(time);
      await sell(app, pia, { amount });
    }
    expect(await statistics(december)).toEqual([
      { start: '2026-12-01', clicks: 2, leads: 0, sales: 2, revenue: { usd: 3_500 }, earnedCommission: { usd: 700 } },
    ]);
  });
});
