import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { continueReconciliations } from '../../src/reconciliation/work.ts';
import { openStripeApi, type StripeApi } from '../adapters/stripe-api.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { listAll } from '../helpers/list-all.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';
import { startServing } from '../helpers/serving-process.ts';
import { createEndpoint, createReferrer, type EndpointUnderTest, unique } from '../helpers/story.ts';
import { invoicePaid } from '../helpers/stripe-payloads.ts';
import { since } from './stage.ts';

const DAY_MS = 86_400_000;
const KILLS = rounds(10);
const PAYMENTS = 40;
/** Longer than a lease: what a killed process had is free for the next one. */
const AHEAD_MS = 25_000;

describe.each(engines)('a reconciliation whose process is killed again and again, on %s', (engine) => {
  let app: TestApp;
  let api: StripeApi;
  let stripe: EndpointUnderTest;
  let aheadMs = 0;
  beforeAll(async () => {
    api = await openStripeApi();
    app = await createTestApp(engine, { service: { clock: () => Date.now() + aheadMs } });
    const referrer = await createReferrer(app);
    await referrer.lead('payer');
    stripe = await createEndpoint(app, 'stripe', { accessToken: 'rk_live_example', apiUrl: api.url });
  });
  afterAll(async () => {
    await app.close();
    await api.close();
  });

  /** Invoices that the API lists long after their events have expired. Returns their events. */
  function fillApi(): object[] {
    return Array.from({ length: PAYMENTS }, (_, nth) => {
      const paidAt = Math.floor((Date.now() - 60 * DAY_MS) / 1000) + nth;
      const event = invoicePaid({
        invoice: unique('in'),
        externalId: 'payer',
        subscription: 'sub_payer',
        amount: 1_000,
      });
      const { object } = event.data;
      const paid = { created: paidAt, status_transitions: { paid_at: paidAt }, livemode: true, discounts: [] };
      api.add('invoices', { ...object, ...paid });
      return event;
    });
  }

  it('books each payment once, also if its webhook arrives meanwhile, and counts what it booked', async () => {
    const webhooks = fillApi();
    const path = `/api/webhook-endpoints/${stripe.id}/reconcile`;
    const { id } = (await app.call('POST', path, { body: { since: since(80) } })).body;
    let delivered = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      aheadMs += AHEAD_MS;
      const serving = await startServing(app.databaseUrl, aheadMs);
      // the newest first, while the API lists the oldest first
      const arriving = (async () => {
        for (const event of webhooks.toReversed().slice(delivered, delivered + 8)) {
          const answer = await stripe.deliver(event, undefined, serving.url).catch(() => null);
          if (answer?.status !== 200) return;
          delivered += 1;
        }
      })();
      await sleep(randomInt(1_500));
      await serving.kill();
      await arriving;
    }
    aheadMs += AHEAD_MS;
    await continueReconciliations(app.service);
    const run = (await app.call('GET', `/api/reconciliations/${id}`)).body;
    expect([run.status, run.error]).toEqual(['completed', null]);
    const sales = (await listAll(app, '/api/sales')) as { invoiceId: string }[];
    expect(new Set(sales.map(({ invoiceId }) => invoiceId)).size).toBe(PAYMENTS);
    expect(sales).toHaveLength(PAYMENTS);
    const { read, known, sales: booked, ...others } = run.counts;
    expect(others).toEqual({ ignored: 0, reversals: 0, unattributed: 0, failed: 0, other: 0 });
    expect([read, known + booked]).toEqual([PAYMENTS, PAYMENTS]);
    const stored = (await listAll(app, '/api/deliveries')) as { outcome: string }[];
    expect(stored.filter(({ outcome }) => outcome === 'sale')).toHaveLength(PAYMENTS);
    await requireAgreement(app.service, app.accountId);
  });
});
