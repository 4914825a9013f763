import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../src/app/service.ts';
import { runScheduledPayouts } from '../../src/payouts/schedule.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, sell } from '../helpers/earning.ts';
import { failingFor } from '../helpers/failing-account.ts';
import { createReferrer } from '../helpers/story.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe.each(engines)('the scheduled run on %s', (engine) => {
  let app: TestApp;
  let now = Date.UTC(2026, 10, 20, 12);
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  it('happens once per period, for any number of processes and calls, for holds that were over at its start', async () => {
    const referrer = await createReferrer(app);
    await sell(app, referrer);
    now += 11 * DAY_MS;
    const asAtOnce = () => Promise.all(Array.from({ length: 6 }, () => runScheduledPayouts(app.service, 'monthly')));
    expect((await asAtOnce()).filter(Boolean)).toHaveLength(1);
    expect((await asAtOnce()).filter(Boolean)).toHaveLength(0);
    expect(await payoutsOf(app, referrer.partnerId, 'processing')).toEqual([]);

    now += 20 * DAY_MS;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(false);
    now += 11 * DAY_MS;
    expect((await asAtOnce()).filter(Boolean)).toHaveLength(1);
    expect(await payoutsOf(app, referrer.partnerId, 'processing')).toMatchObject([
      { amount: 2000, processingBy: 'schedule' },
    ]);
  });

  it('of a process that died is taken over after a while, but not before', async () => {
    const failing = createService({ ...app.service, log: failingLog() });
    now += 31 * DAY_MS;
    await expect(runScheduledPayouts(failing, 'monthly')).rejects.toThrow('died');
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(false);
    now += HOUR_MS;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(false);
  });

  it('ends between two payouts when its server stops, and another process does the rest', async () => {
    const referrer = await createReferrer(app);
    await sell(app, referrer);
    now += 62 * DAY_MS;
    const stopping = createService({ ...app.service, lifecycle: { draining: true } });
    expect(await runScheduledPayouts(stopping, 'monthly')).toBe(true);
    expect(await payoutsOf(app, referrer.partnerId, 'processing')).toEqual([]);
    now += HOUR_MS;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    expect(await payoutsOf(app, referrer.partnerId, 'processing')).toMatchObject([{ amount: 2000 }]);
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(false);
  });

  it('starts the payouts of the other accounts when those of one cannot be read, and repeats that one', async () => {
    const { apiKey } = await app.addAccount('Other Ltd');
    const other: TestApp = { ...app, call: (method, path, call) => app.call(method, path, { key: apiKey, ...call }) };
    const [partnerId, othersPartnerId] = [await earn(app), await earn(other)];
    now += 31 * DAY_MS;
    await expect(runScheduledPayouts(failingFor(app.service, app.accountId), 'monthly')).rejects.toThrow('too long');
    expect(await payoutsOf(app, partnerId, 'processing')).toEqual([]);
    expect(await payoutsOf(other, othersPartnerId, 'processing')).toMatchObject([{ amount: 2000 }]);
    now += HOUR_MS;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    expect(await payoutsOf(app, partnerId, 'processing')).toMatchObject([{ amount: 2000 }]);
    expect(await payoutsOf(other, othersPartnerId, 'processing')).toMatchObject([{ amount: 2000 }]);
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(false);
  });

  /** A new partner is owed 20.00. Returns the partner's id. */
  async function earn({ call }: TestApp): Promise<string> {
    const { body } = await call('POST', '/api/partners', { body: { name: 'Pia', email: 'pia@example.com' } });
    const adjustment = { partnerId: body.id, amount: 2000, currency: 'usd', reason: 'campaign' };
    expect((await call('POST', '/api/adjustments', { body: adjustment })).status).toBe(201);
    return body.id;
  }

  function failingLog(): typeof app.service.log {
    const log = app.service.log.child({});
    log.info = () => {
      throw new Error('died');
    };
    return log;
  }
});
