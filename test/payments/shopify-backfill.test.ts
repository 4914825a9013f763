import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryRequest } from '../../adapters/contract/adapter.ts';
import { readPage } from '../../adapters/shopify/backfill.ts';
import shopify from '../../adapters/shopify/index.ts';
import { receiveWebhook } from '../../src/deliveries/receive.ts';
import { requestTo, SHOP, type ShopApi, startShop } from '../adapters/shopify-api.ts';
import { bodyOf, bytes } from '../adapters/shopify-bodies.ts';
import { createReferredAccount, type ReferredAccount } from '../helpers/account.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { ordersOf } from '../helpers/arrivals.ts';
import { engines } from '../helpers/databases.ts';
import { type EndState, endStateOf } from '../helpers/end-state.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';

const NOW = Date.UTC(2026, 10, 2);
const SECRET = 'shpss_fern';
const RUNS = { sqlite: rounds(30), postgres: rounds(5) };

/** 20 % of 99.00; 23.50 of 112.17 was refunded without lines, and with it that share of the commission. */
const ONE_SALE: EndState = {
  sales: [
    {
      customer: 'user_4101',
      amount: 9_900,
      grossAmount: 11_217,
      currency: 'usd',
      commissionAmount: 1_980,
      status: 'pending',
      refundedAmount: 2_350,
      reversedCommissionAmount: 415,
      held: 0,
    },
  ],
  ofSecondRecords: 0,
  owed: 1_565,
  queuedPayouts: 1,
  parked: 0,
};

type Body = Record<string, unknown>;

/** One order as Shopify writes it on its way. */
function statesOf({ clickId }: ReferredAccount) {
  const { note_attributes: attributes, ...order } = bodyOf('orders_paid');
  const others = attributes.filter(({ name }: { name: string }) => name !== 'svc_id');
  const paid: Body = { ...order, note_attributes: [...others, { name: 'svc_id', value: clickId }] };
  const refund: Body = bodyOf('refunds_create');
  const refunded = {
    ...paid,
    financial_status: 'partially_refunded',
    updated_at: '2026-10-20T10:00:05-04:00',
    current_total_price: '88.67',
    refunds: [refund],
  };
  const cancelled = { ...refunded, updated_at: '2026-10-21T10:00:00-04:00', cancelled_at: '2026-10-21T10:00:00-04:00' };
  return { created: { ...paid, financial_status: 'pending' }, paid, refund, refunded, cancelled };
}

describe.each(engines)('an order of Shopify that is read back, on %s', (engine) => {
  let app: TestApp;
  let shop: ShopApi;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW } });
    shop = await startShop();
  });
  afterAll(() => Promise.all([app.close(), shop.close()]));

  /** What reaches a new account, by name. */
  async function createArrivals() {
    const account = await createReferredAccount(app.service);
    const body = { processor: 'shopify', secrets: [SECRET], shopDomain: SHOP };
    const { body: endpoint } = await app.call('POST', '/api/webhook-endpoints', { body, key: account.apiKey });
    const secrets = { secrets: [SECRET], shopDomain: SHOP, authorization: null };
    const deliver = async ({ rawBody, headers }: DeliveryRequest) => {
      const signed = shopify.sign(rawBody, secrets, NOW, String(headers['x-shopify-topic']));
      const request = { processor: 'shopify', endpointId: endpoint.id, rawBody, headers: { ...signed, ...headers } };
      return (await receiveWebhook(app.service, request)).outcome;
    };
    const sends = (topic: string, body: Body) => async () => [
      await deliver({ rawBody: bytes(body), headers: { 'x-shopify-topic': topic } }),
    ];
    const readsBack = (order: Body) => async () => {
      shop.orders = [JSON.stringify(order)];
      const outcomes: string[] = [];
      for (const delivery of (await readPage(requestTo(shop))).deliveries) outcomes.push(await deliver(delivery));
      return outcomes;
    };
    const states = statesOf(account);
    const arrivals: Record<string, () => Promise<string[]>> = {
      created: sends('orders/create', states.created),
      paid: sends('orders/paid', states.paid),
      refund: sends('refunds/create', states.refund),
      updated: sends('orders/updated', states.refunded),
      'read when created': readsBack(states.created),
      'read when paid': readsBack(states.paid),
      'read when refunded': readsBack(states.refunded),
      'read when cancelled': readsBack(states.cancelled),
    };
    return { account, arrivals };
  }

  const WEBHOOKS = ['created', 'paid', 'refund', 'updated'];

  it.each([
    ['only webhooks', WEBHOOKS],
    ['only read back', ['read when refunded']],
    ['only read back, after it was cancelled', ['read when cancelled']],
    ['webhooks, then read back', [...WEBHOOKS, 'read when cancelled']],
    ['read back, then webhooks', ['read when refunded', ...WEBHOOKS]],
    ['read back twice', ['read when refunded', 'read when refunded']],
    ['read back before and after its refund', ['read when created', 'read when paid', 'read when refunded']],
  ])('is one sale with one commission and one refund: %s', async (_what, names) => {
    const { account, arrivals } = await createArrivals();
    for (const name of names) await arrivals[name]?.();
    expect(await endStateOf(app.service, account.accountId)).toEqual(ONE_SALE);
    await requireAgreement(app.service, account.accountId);
  });

  it('is known the second time by the same keys', async () => {
    const { arrivals } = await createArrivals();
    expect(await arrivals['read when refunded']?.()).toEqual(['sale', 'reversal']);
    expect(await arrivals['read when refunded']?.()).toEqual(['duplicate', 'duplicate']);
  });

  it('is one sale in any order, with any repetition', async () => {
    const { arrivals: names } = await createArrivals();
    await fc.assert(
      fc.asyncProperty(ordersOf(Object.keys(names)), async (order) => {
        const { account, arrivals } = await createArrivals();
        for (const name of order) await arrivals[name]?.();
        expect(await endStateOf(app.service, account.accountId)).toEqual(ONE_SALE);
      }),
      { numRuns: RUNS[engine] },
    );
  });
});
