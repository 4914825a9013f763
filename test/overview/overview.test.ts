import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { hold } from '../helpers/held-payouts.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import { checkoutCompleted, disputeOf, refundOf } from '../helpers/stripe-payloads.ts';

const DAY_MS = 86_400_000;
const none = { count: 0, isMore: false };

describe.each(engines)('GET /api/overview on %s', (engine) => {
  let app: TestApp;
  let now = Date.now();
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  const overview = async () => (await app.call('GET', '/api/overview')).body;

  it('says for a new account that everything is to be set up and nothing to be done', async () => {
    expect(await overview()).toEqual({
      account: { id: app.accountId, name: 'Example Ltd' },
      programs: [{ id: app.programId, name: 'Example Ltd' }],
      programId: app.programId,
      attention: {
        failedDeliveries: none,
        deadDeliveries: none,
        parkedPayments: none,
        flaggedSales: none,
        processingPayouts: none,
        heldPayouts: none,
        openDisputes: none,
      },
      payouts: [],
      owed: { held: {}, available: {}, processing: {}, heldPayouts: {}, paid: {} },
      setup: {
        endpoint: false,
        delivery: false,
        partner: false,
        link: false,
        click: false,
        lead: false,
        sale: false,
        allowedOrigin: false,
      },
    });
  });

  it('sums what is owed and what a run would pay, and counts what waits for somebody', async () => {
    const pia = await createReferrer(app);
    const bo = await createReferrer(app);
    const stripe = await createEndpoint(app, 'stripe');
    await app.call('PATCH', `/api/programs/${app.programId}`, {
      body: { minimumPayout: { usd: 1_500 }, portal: { allowedOrigins: ['https://app.example.com'] } },
    });
    await pia.lead('user_1');
    await sell(app, pia, { amount: 10_000 });
    await sell(app, bo, { amount: 5_000 });
    expect((await stripe.deliver(checkoutCompleted({}))).body.outcome).toBe('unattributed');
    const nothing = { processing: {}, heldPayouts: {}, paid: {} };
    expect((await overview()).owed).toEqual({ held: { usd: 3_000 }, available: { usd: 0 }, ...nothing });

    now += 31 * DAY_MS;
    await sell(app, pia, { amount: 1_000 });
    const due = await overview();
    // the partner with 1,000 stays below the minimum
    expect(due.payouts).toEqual([{ currency: 'usd', count: 1, amount: 2_000 }]);
    expect(due.owed).toEqual({ held: { usd: 200 }, available: { usd: 3_000 }, ...nothing });
    expect(due.attention).toMatchObject({ parkedPayments: { count: 1, isMore: false }, openDisputes: none });
    expect(Object.values(due.setup)).toEqual(Array(8).fill(true));

    const dryRun = (await runPayouts(app, { dryRun: true })).body;
    expect(dryRun.totals).toMatchObject([{ currency: 'usd', payoutCount: 1, amount: 2_000 }]);
    await runPayouts(app);
    const running = await overview();
    expect(running.payouts).toEqual([]);
    expect(running.owed).toMatchObject({ available: { usd: 1_000 }, ...nothing, processing: { usd: 2_000 } });
    expect(running.attention).toMatchObject({ processingPayouts: { count: 1, isMore: false }, heldPayouts: none });
    const [payout] = await payoutsOf(app, pia.partnerId, 'processing');
    await hold(app.service, app.accountId, payout.id);
    const held = await overview();
    expect(held.attention).toMatchObject({ processingPayouts: none, heldPayouts: { count: 1, isMore: false } });
    expect(held.owed).toEqual({ ...running.owed, heldPayouts: { usd: 2_000 } });
    await app.call('POST', `/api/payouts/${payout.id}/paid`, { body: {} });
    expect((await overview()).attention.heldPayouts).toEqual(none);
    expect((await overview()).owed).toMatchObject({ ...nothing, paid: { usd: 2_000 } });
  });

  it('counts the open disputes that the list of disputed sales shows: none of a sale that was refunded in full or rejected', async () => {
    // the signatures are of now
    now = Date.now();
    const pia = await createReferrer(app);
    const stripe = await createEndpoint(app, 'stripe');
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { selfReferral: 'flag' } });
    const { email } = (await app.call('GET', `/api/partners/${pia.partnerId}`)).body;
    const [intents, user] = [['pi_refunded', 'pi_rejected', 'pi_disputed'], unique('user')];
    for (const paymentIntent of intents) {
      const isOwn = paymentIntent === 'pi_rejected';
      const externalId = `${user}_${paymentIntent}`;
      await pia.lead(externalId, isOwn ? { customerEmail: email } : {});
      await stripe.deliver(checkoutCompleted({ externalId, paymentIntent }));
      await stripe.deliver(disputeOf(paymentIntent, unique('dp'), 5_000));
    }
    const disputed = async () => (await app.call('GET', '/api/sales?status=disputed')).body.data;
    const counted = async () => (await overview()).attention.openDisputes;
    expect((await disputed()).length).toBe(3);
    expect(await counted()).toEqual({ count: 3, isMore: false });

    await stripe.deliver(refundOf('pi_refunded', unique('re'), 5_000, 'succeeded'));
    const flagged = (await app.call('GET', '/api/sales?review=flagged')).body.data;
    await app.call('POST', `/api/sales/${flagged[0].id}/reject`, { body: {} });
    expect((await disputed()).map(({ customer }: { customer: { externalId: string } }) => customer.externalId)).toEqual(
      [`${user}_pi_disputed`],
    );
    expect(await counted()).toEqual({ count: 1, isMore: false });
  });

  it('contains nothing of another account', async () => {
    const { apiKey } = await app.addAccount('Stranger Ltd');
    const { body } = await app.call('GET', '/api/overview', { key: apiKey });
    expect(body.owed).toEqual({ held: {}, available: {}, processing: {}, heldPayouts: {}, paid: {} });
    expect(Object.values(body.setup)).toEqual(Array(8).fill(false));
  });
});
