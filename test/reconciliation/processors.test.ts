import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Processor } from '../../src/core/processor.ts';
import { continueReconciliations } from '../../src/reconciliation/work.ts';
import { answerJson, serveApi } from '../adapters/api-answers.ts';
import { type Fixture, fixtureOf } from '../adapters/fixtures.ts';
import { paddleRecord } from '../adapters/paddle-records.ts';
import { polarRecord } from '../adapters/polar-records.ts';
import { SHOP, startShop, TOKEN } from '../adapters/shopify-api.ts';
import { openStripeApi } from '../adapters/stripe-api.ts';
import { type AppOfMany, createAppOfMany } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { endStateOf } from '../helpers/end-state.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createEndpoint, createReferrer } from '../helpers/story.ts';

/** Before every fixture. */
const SINCE = '2026-01-01';

/** A payment, and what its processor's API lists of it. */
interface Past {
  payment: Fixture;
  settings: Record<string, unknown>;
  /** The address of the API. */
  serve(payment: Fixture): Promise<string>;
}

const PASTS: Partial<Record<Processor, Past>> = {
  stripe: {
    payment: await fixtureOf('stripe', 'invoice.paid--renewal'),
    settings: { accessToken: 'rk_live_example' },
    async serve({ rawBody }) {
      const api = await openStripeApi();
      onTestFinished(() => api.close());
      const event = JSON.parse(rawBody.toString('utf8'));
      // the API lists invoices of this age, and no events
      const { data, created } = event;
      api.add('invoices', { ...data.object, created });
      return api.url;
    },
  },
  shopify: {
    payment: await fixtureOf('shopify', 'orders_paid'),
    settings: { accessToken: TOKEN, shopDomain: SHOP },
    async serve({ rawBody }) {
      const shop = await startShop();
      onTestFinished(() => shop.close());
      shop.orders.push(rawBody.toString('utf8'));
      return shop.url;
    },
  },
  paddle: {
    payment: await fixtureOf('paddle', 'transaction.completed--subscription-first'),
    settings: { accessToken: 'pdl_live_apikey_example' },
    async serve(payment) {
      const { url } = await serveApi(({ path }, response) => {
        const data = path === '/transactions' ? [paddleRecord(payment)] : [];
        answerJson(response, { data, meta: { pagination: { has_more: false } } });
      });
      return url;
    },
  },
  polar: {
    payment: await fixtureOf('polar', 'order.paid--subscription-first'),
    settings: { accessToken: 'polar_oat_example' },
    async serve(payment) {
      const { url } = await serveApi(({ path }, response) => {
        const items = path === '/v1/orders/' ? [polarRecord(payment)] : [];
        answerJson(response, { items, pagination: { total_count: items.length, max_page: 1 } });
      });
      return url;
    },
  },
};

/** The customer that a payment names. */
function payerOf({ interpretation }: Fixture): string {
  const facts = interpretation.kind === 'facts' ? interpretation.facts : [];
  for (const fact of facts) {
    if (fact.kind === 'payment.received' && fact.customer.externalIds[0]) return fact.customer.externalIds[0].value;
  }
  throw new Error('The payment names nobody');
}

describe.each(engines)('what the API of a processor lists, on %s', (engine) => {
  let many: AppOfMany;
  let behindMs = 0;
  beforeAll(async () => {
    many = await createAppOfMany(engine, { service: { clock: () => Date.now() - behindMs } });
  });
  afterAll(() => many.close());

  it.each(Object.entries(PASTS))('is a sale that %s can tell again by webhook', async (name, past) => {
    const processor = name as Processor;
    const app = await many.addApp();
    const { payment, settings, serve } = past;
    const referrer = await createReferrer(app);
    // before the payment
    behindMs = Date.now() - Date.parse(SINCE);
    await referrer.lead(payerOf(payment));
    behindMs = 0;
    const apiUrl = await serve(payment);
    const endpoint = await createEndpoint(app, processor, { ...settings, apiUrl });
    const reconcile = async (dryRun: boolean) => {
      const body = { since: SINCE, dryRun };
      const { id } = (await app.call('POST', `/api/webhook-endpoints/${endpoint.id}/reconcile`, { body })).body;
      await continueReconciliations(app.service);
      return (await app.call('GET', `/api/reconciliations/${id}`)).body;
    };
    const dry = await reconcile(true);
    expect([dry.status, dry.error, dry.counts.sales, dry.counts.unattributed]).toEqual(['completed', null, 1, 0]);
    const booked = await reconcile(false);
    expect([booked.status, booked.counts.sales]).toEqual(['completed', 1]);
    const told = ({ missing }: { missing: { outcome: string; deliveryId: unknown; saleId: unknown }[] }) =>
      missing.filter(({ outcome }) => outcome === 'sale').map((item) => ({ ...item, deliveryId: '', saleId: '' }));
    expect(told(booked)).toEqual(told(dry));
    expect(told(booked)[0]).toMatchObject({ partnerId: referrer.partnerId, commissionAmount: expect.any(Number) });

    const books = await endStateOf(app.service, app.accountId);
    const { body } = await endpoint.deliver(JSON.parse(payment.rawBody.toString('utf8')), payment.eventType);
    expect(body.outcome).toBe('duplicate');
    expect((await reconcile(false)).counts).toMatchObject({ sales: 0, reversals: 0, unattributed: 0, other: 0 });
    expect(await endStateOf(app.service, app.accountId)).toEqual(books);
    await requireAgreement(app.service, app.accountId);
  });
});
