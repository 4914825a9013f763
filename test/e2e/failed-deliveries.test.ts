import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryDueDeliveries } from '../../src/deliveries/retry.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, type Referrer, unique } from '../helpers/story.ts';
import { chargeRefunded, checkoutCompleted } from '../helpers/stripe-payloads.ts';

const BACKOFF_SECONDS = [5, 30, 120, 600, 3_600, 21_600, 86_400];

describe.each(engines)('a delivery that cannot be applied, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let stripe: EndpointUnderTest;
  let now = Date.now();
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
    referrer = await createReferrer(app);
    stripe = await createEndpoint(app, 'stripe');
    const body = { url: 'http://127.0.0.1:9/', types: ['delivery.failed'] };
    expect((await app.call('POST', '/api/event-endpoints', { body })).status).toBe(201);
  });
  // signatures contain the real time
  beforeEach(() => {
    now = Date.now();
  });
  afterAll(() => app.close());

  const deliver = async (event: unknown) => (await stripe.deliver(event)).body.outcome;
  const newestDelivery = async () => (await app.call('GET', '/api/deliveries?limit=1')).body.data[0];
  const delivery = async (id: string) => (await app.call('GET', `/api/deliveries/${id}`)).body;
  /** The status of the delivery in each event about it, the newest first. */
  const failuresOf = async (id: string) => {
    const events = (await app.call('GET', '/api/events?limit=100')).body.data;
    return events.flatMap(({ data }: { data: { id: string; status: string } }) => (data.id === id ? data.status : []));
  };
  const saleOf = async (customer: string) => {
    const { body } = await app.call('GET', `/api/sales?customerExternalId=${customer}`);
    return (await app.call('GET', `/api/sales/${body.data[0].id}`)).body;
  };
  /** A delivery that fails, because it refunds a sale in another currency than its own. */
  async function failedRefund() {
    const customer = unique('user');
    const intent = unique('pi');
    await referrer.lead(customer);
    expect(await deliver(checkoutCompleted({ externalId: customer, paymentIntent: intent }))).toBe('sale');
    expect(await deliver(chargeRefunded(intent, 5_000, 1_000, 'eur'))).toBe('failed');
    const { id } = await newestDelivery();
    return { customer, id };
  }
  const untouched = { refundedAmount: 0, reversedCommissionAmount: 0, refunds: [], status: 'pending' };

  it('fails when a refund has another currency than its sale, is retried with backoff, and is dead after the last attempt', async () => {
    const { customer, id } = await failedRefund();
    for (const [index, seconds] of BACKOFF_SECONDS.entries()) {
      const failed = await delivery(id);
      const nextAttemptAt = new Date(now + seconds * 1_000).toISOString();
      expect(failed).toMatchObject({ status: 'failed', outcome: 'failed', attempts: index + 1, nextAttemptAt });
      expect(failed.reason).toContain('eur');
      now += seconds * 1_000 - 1;
      expect(await retryDueDeliveries(app.service)).toBe(0);
      now += 1;
      expect(await retryDueDeliveries(app.service)).toBe(1);
    }
    expect(await delivery(id)).toMatchObject({ status: 'dead', outcome: 'failed', attempts: 8, nextAttemptAt: null });
    now += 30 * 86_400_000;
    expect(await retryDueDeliveries(app.service)).toBe(0);
    expect(await saleOf(customer)).toMatchObject({ ...untouched, status: expect.any(String) });
    expect(await failuresOf(id)).toEqual(['dead', 'failed']);
  });

  it('is attempted once when two processes find that it is due, and at any time by hand', async () => {
    const { id } = await failedRefund();
    now += 5_000;
    await Promise.all([retryDueDeliveries(app.service), retryDueDeliveries(app.service)]);
    expect(await delivery(id)).toMatchObject({ status: 'failed', attempts: 2 });
    expect((await app.call('POST', `/api/deliveries/${id}/retry`)).body.attempts).toBe(3);
    expect(await failuresOf(id)).toEqual(['failed']);
  });

  it('shows what it did before when an attempt by hand finds that done', async () => {
    const [customer, processorCustomer] = [unique('user'), unique('cus')];
    await referrer.lead(customer);
    expect(await deliver(checkoutCompleted({ customer: processorCustomer }))).toBe('unattributed');
    const subscribed = checkoutCompleted({ externalId: customer, customer: processorCustomer });
    Object.assign(subscribed.data.object as object, { payment_intent: null, mode: 'setup' });
    expect(await deliver(subscribed)).toBe('noted');
    const { id } = await newestDelivery();
    const before = await delivery(id);
    expect(before).toMatchObject({
      reason: expect.stringContaining('attributed sal_'),
      saleId: (await saleOf(customer)).id,
    });
    const again = await app.call('POST', `/api/deliveries/${id}/retry`);
    expect(again.body).toMatchObject({ outcome: 'noted', reason: before.reason, saleId: before.saleId, attempts: 2 });
    expect(await failuresOf(id)).toEqual([]);
  });

  it('also fails when that refund came before its sale, and takes nothing from it', async () => {
    const customer = unique('user');
    const intent = unique('pi');
    await referrer.lead(customer);
    expect(await deliver(chargeRefunded(intent, 5_000, 1_000, 'eur'))).toBe('noted');
    const { id } = await newestDelivery();
    const inDollars = chargeRefunded(intent, 5_000, 500);
    expect(await deliver(inDollars)).toBe('noted');
    expect(await deliver(checkoutCompleted({ externalId: customer, paymentIntent: intent }))).toBe('sale');
    expect(await delivery(id)).toMatchObject({ status: 'failed', outcome: 'failed' });
    expect((await delivery(id)).reason).toContain('eur');
    expect(await saleOf(customer)).toMatchObject({ refundedAmount: 500, reversedCommissionAmount: 100 });
    expect(await failuresOf(id)).toEqual(['failed']);
    expect(await retryDueDeliveries(app.service)).toBe(1);
    expect(await delivery(id)).toMatchObject({ status: 'failed', attempts: 2 });
    expect(await saleOf(customer)).toMatchObject({ refundedAmount: 500, reversedCommissionAmount: 100 });
  });

  it('does not make the delivery fail that joins the references of that refund to its sale', async () => {
    const customer = unique('user');
    const [session, intent] = [unique('cs'), unique('pi')];
    const clickId = await referrer.lead(customer);
    const sale = { clickId, customerExternalId: customer, amount: 5_000, invoiceId: session };
    expect((await app.call('POST', '/api/track/sale', { body: sale })).status).toBe(200);
    expect(await deliver(chargeRefunded(intent, 5_000, 1_000, 'eur'))).toBe('noted');
    const { id } = await newestDelivery();
    const subscribed = checkoutCompleted({ externalId: customer });
    Object.assign(subscribed.data.object as object, { id: session, payment_intent: intent, mode: 'subscription' });
    expect(await deliver(subscribed)).toBe('noted');
    expect(await newestDelivery()).toMatchObject({ status: 'processed', outcome: 'noted' });
    expect(await delivery(id)).toMatchObject({ status: 'failed', outcome: 'failed' });
    expect(await saleOf(customer)).toMatchObject({ refundedAmount: 0, reversedCommissionAmount: 0 });
  });

  it('is retried although it failed while the clock was ahead', async () => {
    const { id } = await failedRefund();
    await app.service.database.write((tx) =>
      tx.run('UPDATE deliveries SET next_attempt_at = @ahead WHERE id = @id', { id, ahead: now + 400 * 86_400_000 }),
    );
    await retryDueDeliveries(app.service);
    const nextAttemptAt = new Date(now + 30_000).toISOString();
    expect(await delivery(id)).toMatchObject({ status: 'failed', attempts: 2, nextAttemptAt });
  });

  it('is retried by hand, and applied once its sale has that currency', async () => {
    const customer = unique('user');
    const intent = unique('pi');
    expect(await deliver(chargeRefunded(intent, 5_000, 1_000, 'eur'))).toBe('noted');
    const { id } = await newestDelivery();
    const again = await app.call('POST', `/api/deliveries/${id}/retry`);
    expect([again.status, again.body.outcome, again.body.attempts]).toEqual([200, 'noted', 2]);
    await referrer.lead(customer);
    expect(await deliver(checkoutCompleted({ externalId: customer, paymentIntent: intent, currency: 'eur' }))).toBe(
      'sale',
    );
    expect(await saleOf(customer)).toMatchObject({ refundedAmount: 1_000, reversedCommissionAmount: 200 });
  });

  it('is dead at once when it fails after its body was deleted, and blocks no other', async () => {
    const [gone, kept] = [unique('pi'), unique('pi')];
    for (const intent of [gone, kept]) expect(await deliver(chargeRefunded(intent, 5_000, 1_000, 'eur'))).toBe('noted');
    const [{ id: keptId }, { id: goneId }] = (await app.call('GET', '/api/deliveries?limit=2')).body.data;
    await app.service.database.write((tx) =>
      tx.run('UPDATE deliveries SET body = NULL WHERE id = @goneId', { goneId }),
    );
    for (const intent of [gone, kept]) {
      const customer = unique('user');
      await referrer.lead(customer);
      expect(await deliver(checkoutCompleted({ externalId: customer, paymentIntent: intent }))).toBe('sale');
    }
    await retryDueDeliveries(app.service);
    expect(await delivery(goneId)).toMatchObject({ status: 'dead', nextAttemptAt: null, body: null });
    expect(await delivery(keptId)).toMatchObject({ status: 'failed', attempts: 2 });
  });
});
