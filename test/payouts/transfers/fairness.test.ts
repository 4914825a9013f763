import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../../src/app/service.ts';
import type { AccountId } from '../../../src/core/ids.ts';
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
});
