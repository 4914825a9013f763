import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, isoTime } from '../../src/core/time.ts';
import { recordApprovals } from '../../src/payments/approved.ts';
import { type AppOfMany, createAppOfMany, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { applyFacts, hints, received } from '../helpers/facts.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const at = (time: string) => Date.parse(time);

/** When a payment was made, when it is reported, the days of its hold, and when it becomes due. */
const HOLDS = [
  ['that begins in the last millisecond of a day', '2026-11-30T23:59:59.999Z', 0, 30, '2026-12-30T23:59:59.999Z'],
  ['that begins in the first millisecond of a day', '2026-12-01T00:00:00.000Z', 0, 30, '2026-12-31T00:00:00.000Z'],
  ['over 29 February', '2028-02-28T12:00:00.000Z', 0, 2, '2028-03-01T12:00:00.000Z'],
  ['that ends on 29 February', '2028-01-30T00:00:00.000Z', 0, 30, '2028-02-29T00:00:00.000Z'],
  ['over the change to summer time', '2027-03-28T00:30:00.000Z', 0, 1, '2027-03-29T00:30:00.000Z'],
  ['of a payment that is reported a day late', '2026-11-30T23:59:59.999Z', DAY_MS, 2, '2026-12-02T23:59:59.999Z'],
  ['of a payment that is reported a day early', '2026-11-30T12:00:00.000Z', -DAY_MS, 0, '2026-11-30T12:00:00.000Z'],
] as const;

describe.each(engines)('a hold, on %s', (engine) => {
  let shared: AppOfMany;
  let app: TestApp;
  let now = at('2026-01-01T00:00:00Z');
  let referrer: Referrer;
  beforeAll(async () => {
    shared = await createAppOfMany(engine, { service: { clock: () => now } });
  });
  afterAll(() => shared.close());
  beforeEach(async () => {
    app = await shared.addApp();
    referrer = await createReferrer(app);
    const body = { url: 'https://hooks.example.com/', types: ['sale.approved'] };
    expect((await app.call('POST', '/api/event-endpoints', { body })).status).toBe(201);
  });

  /** Every place that tells whether a commission of 20.00 is due, once it is recorded. */
  const places = async (saleId: string) => {
    const get = async (path: string) => (await app.call('GET', path)).body;
    const listed = async (status: string) => (await get(`/api/sales?status=${status}`)).data.length;
    const { held, payable } = await earningsOf(app, referrer.partnerId);
    const day = new Date(now).toISOString().slice(0, 10);
    const from = new Date(Date.parse(day) - 200 * DAY_MS).toISOString();
    const to = new Date(Date.parse(day) + DAY_MS).toISOString();
    const byDay = (await get(`/api/partners/${referrer.partnerId}/earnings?interval=day&from=${from}&to=${to}`)).data;
    const { owed, payouts } = await get('/api/overview');
    while ((await recordApprovals(app.service)) > 0);
    const events = (await get('/api/events?type=sale.approved')).data;
    return {
      status: (await get(`/api/sales/${saleId}`)).status,
      listed: [await listed('pending'), await listed('approved')],
      earnings: [held, payable],
      byDay: byDay.map((line: Record<string, number>) => [line.held, line.payable]),
      overview: [owed.held.usd ?? 0, owed.available.usd ?? 0],
      next: payouts[0]?.amount ?? 0,
      dryRun: (await runPayouts(app, { dryRun: true })).body.totals[0]?.amount ?? 0,
      dryRunAt: (await runPayouts(app, { dryRun: true, at: isoTime(now) })).body.totals[0]?.amount ?? 0,
      events: events.length,
    };
  };
  const HELD = {
    status: 'pending',
    listed: [1, 0],
    earnings: [2_000, 0],
    byDay: [[2_000, 0]],
    overview: [2_000, 0],
    next: 0,
    dryRun: 0,
    dryRunAt: 0,
    events: 0,
  };
  const DUE = {
    status: 'approved',
    listed: [0, 1],
    earnings: [0, 2_000],
    byDay: [[0, 2_000]],
    overview: [0, 2_000],
    next: 2_000,
    dryRun: 2_000,
    dryRunAt: 2_000,
    events: 1,
  };

  it.each(HOLDS)('%s ends to the millisecond, everywhere', async (_which, paidAt, reportedLater, holdDays, dueAt) => {
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { holdDays } });
    now = at(paidAt) + reportedLater;
    if (reportedLater === 0) {
      await sell(app, referrer);
    } else {
      await referrer.lead('mia');
      const paid = received(['in_1'], hints({ externalId: 'mia' }), { occurredAt: at(paidAt) });
      expect(await applyFacts(app.service, app.accountId, paid)).toMatchObject({ outcome: 'sale' });
    }
    const [{ id: saleId }] = (await app.call('GET', '/api/sales')).body.data;
    now = at(dueAt) - 1;
    expect(await places(saleId)).toEqual(HELD);
    expect((await runPayouts(app)).body.payoutCount).toBe(0);
    now += 1;
    expect(await places(saleId)).toEqual(DUE);
    now += 1;
    expect(await places(saleId)).toEqual(DUE);
    now -= 1;
    expect((await runPayouts(app)).body).toMatchObject({ payoutCount: 1, totals: [{ amount: 2_000 }] });
    expect(await payoutsOf(app, referrer.partnerId, 'processing')).toMatchObject([{ amount: 2_000 }]);
  });
});
