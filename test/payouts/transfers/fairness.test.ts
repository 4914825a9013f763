import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../../src/app/service.ts';
import type { AccountId, PayoutId } from '../../../src/core/ids.ts';
import { leaseDue } from '../../../src/payouts/transfers/due.ts';
import { continueTransfers } from '../../../src/payouts/transfers/work.ts';
import { engines } from '../../helpers/databases.ts';
import { unique } from '../../helpers/story.ts';
import { FAULTS, STRIPE_KEY, type StripeConnect, startStripeConnect } from '../../helpers/stripe-connect.ts';
import { createStage, LIST, type Stage } from './stage.ts';

describe.each(engines)('payouts of several accounts, on %s', (engine) => {
  let stage: Stage;
  let stripe: StripeConnect;
  let key: string;
  beforeAll(async () => {
    [stage, stripe] = await Promise.all([createStage(engine), startStripeConnect()]);
    stripe.date = stage.clock.date;
    await stage.connect();
    ({ apiKey: key } = await stage.app.addAccount('Another Ltd'));
    const body = { secretKey: STRIPE_KEY, apiUrl: stripe.url };
    await stage.app.call('PUT', '/api/rails/stripe/connection', { key, body });
  });
  afterEach(() => stage.stripe.clearFaults());
  afterAll(async () => {
    await stage.close();
    await stripe.close();
  });

  /** Orders a payout of the other account, which has a Stripe of its own. */
  async function sendOther(): Promise<string> {
    const call = async (method: string, path: string, body?: object) => {
      const { status, text, body: answer } = await stage.app.call(method, path, { key, body });
      if (status >= 300) throw new Error(text);
      return answer;
    };
    const name = unique('bea');
    const { id: partnerId } = await call('POST', '/api/partners', { name, email: `${name}@example.com` });
    const details = { rail: 'stripe', account: stripe.platform.addAccount().id };
    await call('PUT', `/api/partners/${partnerId}/payout-details`, details);
    await call('POST', '/api/adjustments', { partnerId, amount: 2_000, currency: 'usd', reason: 'For the example' });
    await call('POST', '/api/payouts/run', {});
    const { data } = await call('GET', `/api/payouts?partnerId=${partnerId}&status=processing`);
    await call('POST', `/api/payouts/${data[0].id}/send`);
    return data[0].id;
  }

  /** A process that stops when it is told to. */
  function anotherProcess(): { service: Service; stop(): void } {
    const lifecycle = { draining: false };
    const stop = () => {
      lifecycle.draining = true;
    };
    return { service: createService({ ...stage.app.service, lifecycle }), stop };
  }

  const silent: string[] = [];
  const looks = () => stage.stripe.requests.filter(({ method, path }) => `${method} ${path}` === LIST).length;

  it('are sent while the Stripe of another account does not answer, which has five requests at once', async () => {
    stage.stripe.fault(LIST, FAULTS.hang, 1_000);
    while (silent.length < 8) {
      const { id } = await stage.payout();
      await stage.send(id);
      silent.push(id);
    }
    const other = await sendOther();
    const { service, stop } = anotherProcess();
    const working = continueTransfers(service);
    await expect.poll(() => stripe.madeOf(`payout_${other}`), { timeout: 5_000 }).toBe(1);
    // one that is ordered meanwhile, too
    const later = await sendOther();
    await expect.poll(() => stripe.madeOf(`payout_${later}`), { timeout: 5_000 }).toBe(1);
    expect(looks()).toBe(5);
    stop();
    await working;
    for (const id of silent) expect((await stage.get(id)).transfer).toMatchObject({ status: 'sending', attempts: 0 });
  });

  it('are left to others by a command that works for one account', async () => {
    const other = await sendOther();
    const accountId = stage.app.accountId as AccountId;
    expect(await continueTransfers(stage.app.service, { accountId })).toBe(silent.length);
    for (const id of silent) expect((await stage.get(id)).status).toBe('paid');
    const status = async () => (await stage.app.call('GET', `/api/payouts/${other}`, { key })).body.status;
    expect(await status()).toBe('processing');
    expect(await continueTransfers(stage.app.service)).toBe(1);
    expect(await status()).toBe('paid');
  });

  /** The payouts that are begun while others are under way, and why no more are. */
  async function begin(service: Service, others: ReadonlyMap<PayoutId, AccountId>) {
    const underWay = new Map(others);
    const begun: string[] = [];
    const leasing = leaseDue(service, {
      underWay,
      accountId: null,
      begin({ payoutId, accountId }) {
        underWay.set(payoutId, accountId);
        begun.push(payoutId);
      },
    });
    const error = await leasing.then(() => null, String);
    return { begun, error };
  }

  /** What is under way of ten accounts whose providers do not answer: one place of all is free. */
  function silentOfTen(): Map<PayoutId, AccountId> {
    const names = Array.from({ length: 9 }, (_, index) => `acc_silent${index}`);
    const all = [...names, stage.app.accountId].flatMap((accountId) =>
      [1, 2, 3, 4, 5].map((index): [PayoutId, AccountId] => [
        `pay_${accountId}${index}` as PayoutId,
        accountId as AccountId,
      ]),
    );
    return new Map(all.slice(0, 49));
  }

  it('get the next free place while ten other accounts have all places, and more payouts that have waited longer', async () => {
    const { id } = await stage.payout();
    await stage.send(id);
    stage.clock.aheadMs += 1_000;
    const other = await sendOther();
    expect(await begin(stage.app.service, silentOfTen())).toEqual({ begun: [other], error: null });
    // nothing else is due of that account
    expect(await begin(stage.app.service, silentOfTen())).toEqual({ begun: [id], error: null });
  });

  it('that were leased before the database failed are begun', async () => {
    // longer than a lease
    stage.clock.aheadMs += 130_000;
    await continueTransfers(stage.app.service);
    const ids: string[] = [];
    while (ids.length < 3) {
      const { id } = await stage.payout();
      await stage.send(id);
      ids.push(id);
      stage.clock.aheadMs += 1;
    }
    const { database } = stage.app.service;
    let writes = 0;
    const write: typeof database.write = (unit, options) => {
      writes += 1;
      return writes === 3 ? Promise.reject(new Error('The database is locked')) : database.write(unit, options);
    };
    const failing = createService({ ...stage.app.service, database: { ...database, write } });
    const { begun, error } = await begin(failing, new Map());
    expect(error).toContain('The database is locked');
    expect(begun).toEqual(ids.slice(0, 2));
  });
});
