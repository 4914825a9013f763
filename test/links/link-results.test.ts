import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClickId } from '../../src/ids.ts';
import { addClicks } from '../../src/links/click-batch.ts';
import { getLink } from '../../src/links/links.ts';
import type { Unit } from '../../src/storage/database.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { asId } from '../helpers/ids.ts';
import { clickIdIn, createLink, type TestLink, visit } from '../helpers/visitors.ts';

const HOUR_MS = 3_600_000;
const at = (time: string) => Date.parse(`2026-11-${time}Z`);

describe.each(engines)('the results of links in a period, on %s', (engine) => {
  let app: TestApp;
  let now: number;
  let anna: TestLink;
  let bo: TestLink;
  let invoice = 0;
  beforeAll(async () => {
    now = at('01T00:00:00');
    app = await createTestApp(engine, { service: { clock: () => now } });
    anna = await createLink(app);
    bo = await createLink(app);
    await happens('10T09:59:59.999', () => visit(app, `/${anna.key}`));
    await happens('10T10:00:00', () => sell(anna, 10_000, 'usd'));
    await happens('10T10:30:00', () => sell(anna, 5_000, 'eur'));
    await happens('12T00:00:00', () => sell(anna, 2_500, 'usd'));
    await happens('12T00:00:00', () => sell(bo, 700, 'jpy'));
  });
  afterAll(() => app.close());

  const happens = async (time: string, what: () => Promise<unknown>) => {
    now = at(time);
    await what();
  };
  /** A visitor follows the link, signs up and buys. */
  const sell = async (link: TestLink, amount: number, currency: string) => {
    const clickId = clickIdIn(await visit(app, `/${link.key}`));
    invoice += 1;
    const customer = { clickId, customerExternalId: `user_${invoice}` };
    await app.call('POST', '/api/track/lead', { body: { ...customer, eventName: 'Sign up' } });
    const sale = { ...customer, amount, currency, invoiceId: `invoice_${invoice}` };
    expect((await app.call('POST', '/api/track/sale', { body: sale })).status).toBe(200);
  };
  const resultsOf = async (link: TestLink, query = '') => {
    const { data } = (await app.call('GET', `/api/links${query}`)).body;
    const { clicks, leads, sales, revenue, earnedCommission } = data.find(({ id }: TestLink) => id === link.id);
    const alone = (await app.call('GET', `/api/links/${link.id}${query}`)).body;
    expect(alone).toMatchObject({ clicks, leads, sales, revenue, earnedCommission });
    return { clicks, leads, sales, revenue, earnedCommission };
  };

  it('for a month that begins and ends within a day take four queries, each of which waits for its turn', async () => {
    const texts: string[] = [];
    const { database } = app.service;
    const service = {
      ...app.service,
      database: {
        ...database,
        report: <T>(unit: Unit<T>) =>
          database.report((tx) => {
            return unit({
              ...tx,
              all: (sql, parameters) => {
                texts.push(sql);
                return tx.all(sql, parameters);
              },
              get: (sql, parameters) => {
                texts.push(sql);
                return tx.get(sql, parameters);
              },
            });
          }),
      },
    };
    const period = { from: at('01T11:22:33'), to: at('28T11:22:33') };
    const link = await getLink(service, app.accountId, anna.id, period);
    expect(link).toMatchObject({ clicks: 4, sales: 3 });
    // the link, whole days, blocks of days, and the partial days at both ends
    expect(texts).toHaveLength(4);
  });

  it('cover all time without a period', async () => {
    expect(await resultsOf(anna)).toEqual({
      clicks: 4,
      leads: 3,
      sales: 3,
      revenue: { eur: 5_000, usd: 12_500 },
      earnedCommission: { eur: 1_000, usd: 2_500 },
    });
    expect(await resultsOf(bo)).toMatchObject({ clicks: 1, revenue: { jpy: 700 }, earnedCommission: { jpy: 140 } });
  });

  it.each([
    ['?from=2026-11-10&to=2026-11-11', 3, 2, { eur: 5_000, usd: 10_000 }],
    ['?from=2026-11-10T10:00:00Z', 3, 3, { eur: 5_000, usd: 12_500 }],
    ['?from=2026-11-10T10:00:00.001Z', 2, 2, { eur: 5_000, usd: 2_500 }],
    ['?from=2026-11-10T10:00:00.001Z&to=2026-11-10T10:30:00Z', 0, 0, {}],
    ['?from=2026-11-10T09:30:00Z&to=2026-11-10T10:30:00.001Z', 3, 2, { eur: 5_000, usd: 10_000 }],
    ['?to=2026-11-10T10:00:00Z', 1, 0, {}],
    ['?to=2026-11-10T10:00:00.001Z', 2, 1, { usd: 10_000 }],
    ['?from=2026-11-12T01:00:00%2B01:00', 1, 1, { usd: 2_500 }],
    ['?from=2027-01-01', 0, 0, {}],
  ])('for %s are %i clicks and %i sales', async (query, clicks, sales, revenue) => {
    expect(await resultsOf(anna, query)).toMatchObject({ clicks, leads: sales, sales, revenue });
  });

  it('count clicks exactly, at any millisecond at which a period starts and ends', async () => {
    const link = await createLink(app);
    const begin = at('20T00:00:00');
    const times = Array.from({ length: 40 }, (_, n) => begin + n * 17 * 60_000);
    const click = {
      accountId: app.accountId,
      programId: app.programId,
      partnerId: asId<'ptr'>(link.partnerId),
      linkId: asId<'lnk'>(link.id),
      referrerHost: null,
      device: null,
      country: null,
      visitorHash: null,
    };
    await app.service.database.write((tx) =>
      addClicks(
        tx,
        times.map((createdAt) => ({ ...click, id: createClickId(createdAt), createdAt })),
      ),
    );
    const ends = [begin - 1, begin, begin + 1, begin + HOUR_MS, begin + 2.5 * HOUR_MS, begin + 17 * 60_000 * 39];
    for (const from of ends) {
      for (const to of ends.filter((end) => end > from)) {
        const query = `?from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
        const expected = times.filter((time) => time >= from && time < to).length;
        expect((await app.call('GET', `/api/links/${link.id}${query}`)).body.clicks, query).toBe(expected);
      }
    }
  });

  it('keep the revenue of refunded sales, and deduct the commission', async () => {
    const link = await createLink(app);
    await happens('21T12:00:00', () => sell(link, 10_000, 'usd'));
    const refund = { refundId: 'refund_1', amount: 2_500 };
    const [sale] = (await app.call('GET', '/api/sales?limit=1')).body.data;
    const answer = await app.call('POST', `/api/sales/${sale.id}/refunds`, { body: refund });
    expect(answer.status, answer.text).toBeLessThan(300);
    expect(await resultsOf(link)).toMatchObject({
      sales: 1,
      revenue: { usd: 10_000 },
      earnedCommission: { usd: 1_500 },
    });
  });

  it('stay when the link moves to another partner, whose results are added', async () => {
    const link = await createLink(app);
    const other = await createLink(app);
    await happens('22T12:00:00', () => sell(link, 10_000, 'usd'));
    const before = `user_${invoice}`;
    const { partnerId } = other;
    const moved = await app.call('PATCH', `/api/links/${link.id}`, { body: { partnerId } });
    expect(moved.body).toMatchObject({ partnerId, sales: 1, revenue: { usd: 10_000 } });
    await happens('22T13:00:00', () => sell(link, 700, 'usd'));
    const clickId = clickIdIn(await visit(app, `/${link.key}`));
    const again = { clickId, customerExternalId: before, amount: 50, currency: 'usd', invoiceId: `again_${invoice}` };
    expect((await app.call('POST', '/api/track/sale', { body: again })).status).toBe(200);
    expect(await resultsOf(link)).toMatchObject({ sales: 3, revenue: { usd: 10_750 } });
    expect(await resultsOf(link, '?from=2026-11-22T12:30:00Z')).toMatchObject({ sales: 2, revenue: { usd: 750 } });
    expect(await resultsOf(other)).toMatchObject({ sales: 0, revenue: {} });
  });

  it('are shown page by page', async () => {
    const first = (await app.call('GET', '/api/links?limit=2&from=2026-11-12&to=2026-11-13')).body;
    const second = (
      await app.call('GET', `/api/links?limit=100&from=2026-11-12&to=2026-11-13&cursor=${first.nextCursor}`)
    ).body;
    const counted = [...first.data, ...second.data].map(({ id, clicks }) => [id, clicks]);
    expect(counted.filter(([, clicks]) => clicks > 0)).toEqual([
      [bo.id, 1],
      [anna.id, 1],
    ]);
  });

  it.each([
    ['?from=yesterday', 'from: '],
    ['?to=2026-13-01', 'to: '],
    ['?from=2026-11-02&to=2026-11-02', 'to: must be after from'],
  ])('are refused for %s', async (query, problem) => {
    for (const path of ['/api/links', `/api/links/${anna.id}`]) {
      const answer = await app.call('GET', path + query);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(answer.body.error.message).toContain(problem);
    }
  });
});
