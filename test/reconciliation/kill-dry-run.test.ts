import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { continueReconciliations } from '../../src/reconciliation/work.ts';
import { openStripeApi, type StripeApi } from '../adapters/stripe-api.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { hashTables } from '../helpers/end-state.ts';
import { listAll } from '../helpers/list-all.ts';
import { rounds } from '../helpers/rounds.ts';
import { startServing } from '../helpers/serving-process.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest } from '../helpers/story.ts';
import { checkoutCompleted, refundOf } from '../helpers/stripe-payloads.ts';
import { since } from './stage.ts';

const KILLS = rounds(10);
const PAYMENTS = 20;
/** Longer than a lease: what a killed process had is free for the next one. */
const AHEAD_MS = 25_000;

describe.each(engines)('a dry run whose process is killed again and again, on %s', (engine) => {
  let app: TestApp;
  let api: StripeApi;
  let stripe: EndpointUnderTest;
  let aheadMs = 0;
  beforeAll(async () => {
    api = await openStripeApi();
    app = await createTestApp(engine, { service: { clock: () => Date.now() + aheadMs } });
    await (await createReferrer(app)).lead('payer');
    stripe = await createEndpoint(app, 'stripe', { accessToken: 'rk_live_example', apiUrl: api.url });
  });
  afterAll(async () => {
    await app.close();
    await api.close();
  });

  /** Each payment, and a refund of every other, as events of Stripe. */
  function fillApi(): void {
    for (let nth = 0; nth < PAYMENTS; nth += 1) {
      const created = Math.floor(Date.now() / 1000) - 3_600 + nth;
      const paymentIntent = `pi_${nth}`;
      api.add('events', { ...checkoutCompleted({ externalId: 'payer', amount: 1_000, paymentIntent }), created });
      if (nth % 2 === 0) {
        api.add('events', { ...refundOf(paymentIntent, `re_${nth}`, 100, 'succeeded'), created: created + 600 });
      }
    }
  }
  const begin = async (): Promise<string> => {
    const path = `/api/webhook-endpoints/${stripe.id}/reconcile`;
    return (await app.call('POST', path, { body: { since: since(2), dryRun: true } })).body.id;
  };
  const get = async (id: string) => (await app.call('GET', `/api/reconciliations/${id}`)).body;
  const stored = async () => ({
    tables: await hashTables(app.service.database),
    events: await app.service.database.read((tx) => tx.all('SELECT * FROM events ORDER BY id')),
  });

  it('goes on and counts what one counts that nobody disturbs, and nothing else is stored', async () => {
    fillApi();
    const before = await stored();
    const id = await begin();
    for (let kill = 0; kill < KILLS; kill += 1) {
      aheadMs += AHEAD_MS;
      const serving = await startServing(app.databaseUrl, aheadMs);
      await sleep(randomInt(1_500));
      await serving.kill();
    }
    aheadMs += AHEAD_MS;
    await continueReconciliations(app.service);
    const disturbed = await get(id);
    expect([disturbed.status, disturbed.error]).toEqual(['completed', null]);
    expect(disturbed.counts).toMatchObject({
      read: 1.5 * PAYMENTS,
      sales: PAYMENTS,
      reversals: PAYMENTS / 2,
      known: 0,
      other: 0,
    });
    const undisturbed = await begin();
    await continueReconciliations(app.service);
    const { counts, missing } = await get(undisturbed);
    expect(disturbed.counts).toEqual(counts);
    expect(disturbed.missing).toEqual(missing);
    expect(await stored()).toEqual(before);
    expect(await listAll(app, '/api/deliveries')).toEqual([]);
  });
});
