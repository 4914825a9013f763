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

  it('is repeated only for the account that failed, so that a canceled payout of another is not started again', async () => {
    const { apiKey } = await app.addAccount('Third Ltd');
    const other: TestApp = { ...app, call: (method, path, call) => app.call(method, path, { key: apiKey, ...call }) };
    const [partnerId, othersPartnerId] = [await earn(app, 'a'), await earn(other, 'b')];
    now += 31 * DAY_MS;
    const failing = failingFor(app.service, app.accountId);
    await expect(runScheduledPayouts(failing, 'monthly')).rejects.toThrow('too long');
    const [payout] = await payoutsOf(other, othersPartnerId, 'processing');
    expect((await other.call('POST', `/api/payouts/${payout?.id}/cancel`)).status).toBe(200);
    for (let repeat = 0; repeat < 3; repeat += 1) {
      now += HOUR_MS;
      await expect(runScheduledPayouts(failing, 'monthly')).rejects.toThrow('too long');
    }
    now += HOUR_MS;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    expect(await payoutsOf(app, partnerId, 'processing')).toMatchObject([{ amount: 2000 }]);
    expect(await payoutsOf(other, othersPartnerId, 'processing')).toEqual([]);
    now += 31 * DAY_MS;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    expect(await payoutsOf(other, othersPartnerId, 'processing')).toMatchObject([{ amount: 2000 }]);
    expect(await accountsKept()).toBe(0);
  });

  it('does not start a canceled or failed payout again while another payout of the account keeps failing', async () => {
    const ids = [await earn(app, 'd'), await earn(app, 'e'), await earn(app, 'f')];
    const [canceledId = '', failedId = '', largeId = ''] = ids;
    // a sum that no payout can hold
    const damage = (sql: 'amount * @times' | 'amount / @times') =>
      app.service.database.write((tx) =>
        tx.run(`UPDATE payouts SET amount = ${sql} WHERE partner_id = @largeId`, { largeId, times: 10 ** 13 }),
      );
    await damage('amount * @times');
    now += 31 * DAY_MS;
    const begin = async () => {
      now += HOUR_MS;
      expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
      return Promise.all(ids.map(async (id) => (await payoutsOf(app, id, 'processing')).length));
    };
    expect(await begin()).toEqual([1, 1, 0]);
    const end = async (partnerId: string, as: 'cancel' | 'failed') => {
      const [payout] = await payoutsOf(app, partnerId, 'processing');
      expect((await app.call('POST', `/api/payouts/${payout?.id}/${as}`)).status).toBe(200);
    };
    await end(canceledId, 'cancel');
    await end(failedId, 'failed');
    expect(await begin()).toEqual([0, 0, 0]);
    await damage('amount / @times');
    expect(await begin()).toEqual([0, 0, 1]);
    now += 31 * DAY_MS;
    expect(await begin()).toEqual([1, 1, 1]);
  });

  it('forgets the accounts of a period that was never completed', async () => {
    now += 31 * DAY_MS;
    const failing = failingFor(app.service, app.accountId);
    await expect(runScheduledPayouts(failing, 'monthly')).rejects.toThrow('too long');
    const kept = await accountsKept();
    expect(kept).toBeGreaterThan(0);
    now += 31 * DAY_MS;
    await expect(runScheduledPayouts(failing, 'monthly')).rejects.toThrow('too long');
    expect(await accountsKept()).toBe(kept);
  });

  it('that failed while the clock was ahead is repeated soon after it was corrected', async () => {
    const partnerId = await earn(app, 'c');
    now += 31 * DAY_MS;
    const right = now;
    now += 6 * HOUR_MS;
    const failing = failingFor(app.service, app.accountId);
    await expect(runScheduledPayouts(failing, 'monthly')).rejects.toThrow('too long');
    now = right;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    expect(await payoutsOf(app, partnerId, 'processing')).toMatchObject([{ amount: 2000 }]);
  });

  it('pays a partner whose payout a clock far ahead started, and somebody canceled', async () => {
    const partnerId = await earn(app, 'g');
    const right = now;
    now += 365 * DAY_MS;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    const [payout] = await payoutsOf(app, partnerId, 'processing');
    expect((await app.call('POST', `/api/payouts/${payout?.id}/cancel`)).status).toBe(200);
    now = right + 31 * DAY_MS;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    expect(await payoutsOf(app, partnerId, 'processing')).toMatchObject([{ amount: 2000 }]);
  });

  /** For how many accounts an incomplete run is known to be finished. */
  async function accountsKept(): Promise<number> {
    const rows = await app.service.database.read((tx) =>
      tx.all<{ period: string }>('SELECT period FROM scheduled_runs'),
    );
    return rows.filter(({ period }) => period.startsWith('account ')).length;
  }

  /** A new partner is owed 20.00. Returns the partner's id. */
  async function earn({ call }: TestApp, name = 'pia'): Promise<string> {
    const { body } = await call('POST', '/api/partners', { body: { name, email: `${name}@example.com` } });
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

  it('includes a hold that ends in the first millisecond of its period, and none that ends later', async () => {
    const START = Date.UTC(2040, 0, 1);
    const [inTime, late] = [await createReferrer(app), await createReferrer(app)];
    now = START - 30 * DAY_MS;
    await sell(app, inTime);
    now += 1;
    await sell(app, late);
    now = START - 1;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    expect(await payoutsOf(app, inTime.partnerId, 'processing')).toEqual([]);
    now = START;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    expect(await payoutsOf(app, inTime.partnerId, 'processing')).toMatchObject([{ amount: 2000 }]);
    now = Date.UTC(2040, 1, 1) - 1;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(false);
    expect(await payoutsOf(app, late.partnerId, 'processing')).toEqual([]);
    now += 1;
    expect(await runScheduledPayouts(app.service, 'monthly')).toBe(true);
    expect(await payoutsOf(app, late.partnerId, 'processing')).toMatchObject([{ amount: 2000 }]);
  });
});
