import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backfillKey } from '../../adapters/contract/backfill.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { listAll } from '../helpers/list-all.ts';
import { unique } from '../helpers/story.ts';
import { chargeRefunded, checkoutCompleted, customerUpdated, invoicePaid } from '../helpers/stripe-payloads.ts';
import { BUG } from './past.ts';
import { createStage, type Stage, since, write } from './stage.ts';

describe.each(engines)('a reconciliation on %s', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());

  const booksOf = () => endStateOf(stage.app.service, stage.app.accountId);
  const deliveryCount = async () => (await listAll(stage.app, '/api/deliveries')).length;
  async function customer(): Promise<string> {
    const externalId = unique('user');
    await stage.referrer.lead(externalId);
    return externalId;
  }

  it('books what did not arrive, and nothing that did', async () => {
    const { past, endpoint, referrer } = stage;
    const [arrived, missed] = [await customer(), await customer()];
    const paymentIntent = unique('pi');
    const first = checkoutCompleted({ externalId: arrived, amount: 5_000 });
    const second = checkoutCompleted({ externalId: missed, amount: 4_000, paymentIntent });
    const refund = chargeRefunded(paymentIntent, 4_000, 1_000);
    const stranger = checkoutCompleted({ externalId: null, amount: 900 });
    const test = { ...checkoutCompleted({ externalId: arrived }), livemode: false };
    await endpoint.deliver(first);
    const before = await deliveryCount();
    write(past, first, second, refund, stranger, test);

    const run = await stage.reconcile();
    expect(run).toMatchObject({
      endpointId: endpoint.id,
      processor: 'stripe',
      dryRun: false,
      status: 'completed',
      error: null,
      counts: { read: 5, known: 1, ignored: 1, sales: 1, reversals: 1, unattributed: 1, failed: 0, other: 0 },
    });
    const byOutcome = Object.fromEntries(run.missing.map((item) => [item.outcome, item]));
    expect(byOutcome.sale).toMatchObject({
      eventType: 'checkout.session.completed',
      occurredAt: new Date(second.created * 1000).toISOString(),
      invoiceId: paymentIntent,
      amount: 4_000,
      currency: 'usd',
      partnerId: referrer.partnerId,
      commissionAmount: 800,
      commissionCurrency: 'usd',
    });
    expect(byOutcome.reversal).toMatchObject({ amount: 1_000, commissionAmount: -200, invoiceId: null });
    expect(byOutcome.unattributed).toMatchObject({ amount: 900, partnerId: null, reason: null });
    for (const { deliveryId, outcome, saleId } of run.missing) {
      const delivery = (await stage.app.call('GET', `/api/deliveries/${deliveryId}`)).body;
      expect(delivery).toMatchObject({ endpointId: endpoint.id, outcome, saleId, status: 'processed' });
    }
    expect(await deliveryCount()).toBe(before + 3);
    expect((await booksOf()).sales.filter(({ customer }) => customer === missed)).toMatchObject([
      { amount: 4_000, refundedAmount: 1_000, commissionAmount: 800, reversedCommissionAmount: 200 },
    ]);

    const books = await booksOf();
    const again = await stage.reconcile();
    expect(again).toMatchObject({
      status: 'completed',
      counts: { read: 5, known: 4, ignored: 1, sales: 0 },
      missing: [],
    });
    // a delivery that comes late, after all, is known
    expect((await endpoint.deliver(second)).body.outcome).toBe('duplicate');
    expect(await booksOf()).toEqual(books);
    expect(await deliveryCount()).toBe(before + 3);
  });

  it('in a dry run says the same, and stores nothing but what it found', async () => {
    const { past, referrer } = stage;
    const paid = checkoutCompleted({ externalId: await customer(), amount: 6_000, paymentIntent: unique('pi') });
    // two reports of one payment
    write(past, paid, { ...paid, id: unique('evt') }, checkoutCompleted({ externalId: null }));
    const [books, deliveries] = [await booksOf(), await deliveryCount()];
    const run = await stage.reconcile({ dryRun: true });
    expect(run).toMatchObject({
      dryRun: true,
      status: 'completed',
      counts: { read: 3, known: 1, sales: 1, unattributed: 1 },
    });
    expect(run.missing.find(({ outcome }) => outcome === 'sale')).toMatchObject({
      deliveryId: null,
      saleId: null,
      amount: 6_000,
      partnerId: referrer.partnerId,
      commissionAmount: 1_200,
    });
    expect(await booksOf()).toEqual(books);
    expect(await deliveryCount()).toBe(deliveries);
    expect((await stage.reconcile()).counts).toEqual(run.counts);
  });

  it('knows a record of what a webhook has said under its own key', async () => {
    const { past, endpoint } = stage;
    const paid = checkoutCompleted({ externalId: await customer(), amount: 7_000 });
    const other = checkoutCompleted({ externalId: await customer(), amount: 7_100 });
    const identity = customerUpdated(unique('cus'), unique('user'));
    for (const event of [paid, identity]) await endpoint.deliver(event);
    const recordOf = (event: typeof paid | typeof identity) => ({
      ...event,
      id: backfillKey(event.type, event.data.object),
    });
    write(past, recordOf(paid), recordOf(other), recordOf(identity));
    expect((await stage.reconcile()).counts).toMatchObject({ read: 3, known: 2, sales: 1, other: 0 });
    const books = await booksOf();
    expect((await stage.reconcile()).counts).toMatchObject({ read: 3, known: 3, sales: 0 });
    // and the other way around
    expect((await endpoint.deliver(other)).body.outcome).toBe('duplicate');
    expect(await booksOf()).toEqual(books);
  });

  it('learns from a record that says nothing but who a customer is', async () => {
    const { past } = stage;
    const processorCustomer = unique('cus');
    const renewal = invoicePaid({ customer: processorCustomer, amount: 3_000 });
    const identity = customerUpdated(processorCustomer, await customer());
    write(past, renewal, { ...identity, id: backfillKey(identity.type, identity.data.object) });
    expect((await stage.reconcile()).counts).toMatchObject({ read: 2, known: 0, unattributed: 1, other: 1 });
    const sales = (await booksOf()).sales.filter(({ amount }) => amount === 3_000);
    expect(sales).toMatchObject([{ commissionAmount: 600 }]);
    const again = { ...identity, id: backfillKey(identity.type, 'another form of the same record') };
    write(past, renewal, again);
    expect((await stage.reconcile()).counts).toMatchObject({ read: 2, known: 2, other: 0 });
  });

  it('asks for the time, the settings and the token of its endpoint, page by page', async () => {
    const { past, endpoint } = stage;
    const from = since(3);
    write(past, ...[1, 2, 3, 4, 5].map(() => checkoutCompleted({ externalId: null })));
    const run = await stage.reconcile({ since: from });
    expect(past.requests.map(({ cursor }) => cursor)).toEqual([null, '2', '4']);
    for (const request of past.requests) {
      expect(request).toMatchObject({
        accessToken: 'rk_live_example',
        since: Date.parse(from),
        until: Date.parse(run.createdAt),
        settings: { countPaymentIntents: false },
      });
    }
    expect(run).toMatchObject({ since: from, until: run.createdAt, counts: { read: 5, unattributed: 5 } });
    expect((await stage.app.call('GET', '/api/reconciliations?limit=1')).body.data).toEqual([
      Object.fromEntries(Object.entries(run).filter(([name]) => name !== 'missing')),
    ]);
    expect(run.endedAt).not.toBeNull();
    expect(endpoint.id).toBe(run.endpointId);
  });

  it('stores what cannot be read or processed, as if it had arrived, and goes on', async () => {
    const { past } = stage;
    const unreadable = { ...checkoutCompleted({}), data: { object: { id: 'cs_odd', mode: 'payment' } } };
    const bug = { ...checkoutCompleted({}), type: BUG };
    write(past, unreadable, bug, checkoutCompleted({ externalId: null, amount: 1_100 }));
    expect((await stage.reconcile({ dryRun: true })).counts).toMatchObject({ failed: 1, unattributed: 1, other: 1 });
    const run = await stage.reconcile();
    expect(run.counts).toMatchObject({ read: 3, failed: 1, unattributed: 1, other: 1 });
    const reasons = Object.fromEntries(run.missing.map(({ outcome, reason }) => [outcome, reason]));
    expect(reasons.unknown).toContain('has an unexpected form');
    expect(reasons.failed).toBe('a bug');
    const failed = run.missing.find(({ outcome }) => outcome === 'failed');
    expect((await stage.app.call('GET', `/api/deliveries/${failed?.deliveryId}`)).body).toMatchObject({
      status: 'failed',
      nextAttemptAt: expect.any(String),
    });
  });
});
