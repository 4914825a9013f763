import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryDueDeliveries } from '../../src/deliveries/retry.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { unique } from '../helpers/story.ts';
import { checkoutCompleted, invoicePaid } from '../helpers/stripe-payloads.ts';
import { createStage, type Stage, since, write } from './stage.ts';

const DAY_MS = 86_400_000;

/** Parked payments wait 90 days for their customer. */
describe.each(engines)('a delivery that was read back, failed and is retried, on %s,', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());
  beforeEach(() => {
    stage.clock.aheadMs = 0;
  });

  const paid = (days: number, members: Parameters<typeof checkoutCompleted>[0]) => ({
    ...checkoutCompleted(members),
    created: Math.floor((Date.now() - days * DAY_MS) / 1000),
  });
  /** Reads it back with an adapter that throws, and retries it with one that works, a minute later. */
  async function failAndRetry(payment: object) {
    write(stage.past, payment);
    stage.past.isBroken = true;
    expect((await stage.reconcile({ since: since(300) })).counts).toMatchObject({ read: 1, failed: 1 });
    stage.past.isBroken = false;
    stage.clock.aheadMs = 60_000;
    await retryDueDeliveries(stage.app.service);
    stage.clock.aheadMs = 0;
    const [delivery] = (await stage.app.call('GET', '/api/deliveries')).body.data;
    expect(delivery).toMatchObject({ status: 'processed', attempts: 2 });
    return delivery;
  }
  async function leadOf(days: number): Promise<string> {
    const externalId = unique('user');
    stage.clock.aheadMs = -days * DAY_MS;
    await stage.referrer.lead(externalId);
    stage.clock.aheadMs = 0;
    return externalId;
  }

  it('waits for its customer from when it was made', async () => {
    const payment = paid(80, {});
    expect(await failAndRetry(payment)).toMatchObject({ outcome: 'unattributed' });
    const [parked] = (await stage.app.call('GET', '/api/parked-payments')).body.data;
    expect(Date.parse(parked.expiresAt)).toBe((payment.created + 90 * 86_400) * 1000);
  });

  it('does not count if nobody was known for it in time, in this attempt and in all that follow', async () => {
    const books = await endStateOf(stage.app.service, stage.app.accountId);
    for (const payment of [paid(91, {}), paid(200, { externalId: await leadOf(109) })]) {
      const { id } = await failAndRetry(payment);
      await stage.app.call('POST', `/api/deliveries/${id}/retry`);
      const delivery = (await stage.app.call('GET', `/api/deliveries/${id}`)).body;
      expect(delivery).toMatchObject({
        saleId: null,
        reason: expect.stringContaining('its customer was not known before'),
      });
      expect(await endStateOf(stage.app.service, stage.app.accountId)).toEqual(books);
    }
  });

  it('still says who its customer is, whose later payments count', async () => {
    const customer = unique('cus');
    await failAndRetry(paid(200, { externalId: await leadOf(109), customer }));
    const { outcome } = (await stage.endpoint.deliver(invoicePaid({ customer, amount: 3_000 }))).body;
    expect(outcome).toBe('sale');
  });

  it('counts if its customer was known in time', async () => {
    expect(await failAndRetry(paid(200, { externalId: await leadOf(111) }))).toMatchObject({ outcome: 'sale' });
  });

  it('does not count when it is retried by hand after an attempt that only learned its customer', async () => {
    const externalId = await leadOf(109);
    write(stage.past, paid(200, { externalId, customer: unique('cus') }));
    const { counts, missing } = await stage.reconcile({ since: since(300) });
    expect(counts).toMatchObject({ sales: 0, other: 1 });
    await stage.app.call('POST', `/api/deliveries/${missing[0]?.deliveryId}/retry`);
    const { data } = (await stage.app.call('GET', `/api/sales?customerExternalId=${externalId}`)).body;
    expect(data).toEqual([]);
  });
});
