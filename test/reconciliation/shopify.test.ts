import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { continueReconciliations } from '../../src/reconciliation/work.ts';
import { SHOP, startShop, TOKEN } from '../adapters/shopify-api.ts';
import { bodyOf } from '../adapters/shopify-bodies.ts';
import { type AppOfMany, createAppOfMany } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createEndpoint, createReferrer } from '../helpers/story.ts';

const CUSTOMER = 'user_4711';
const PAID = { ...bodyOf('orders_paid'), note_attributes: [{ name: 'svcCustomerExternalId', value: CUSTOMER }] };
const REFUND = bodyOf('refunds_create');
/** Before every order. */
const SINCE = '2026-01-01';

describe.each(engines)('a reconciliation with a shop on %s', (engine) => {
  let many: AppOfMany;
  beforeAll(async () => {
    many = await createAppOfMany(engine, { service: { clock: () => Date.UTC(2026, 10, 20) } });
  });
  afterAll(() => many.close());

  async function openShop() {
    const app = await many.addApp();
    const shop = await startShop();
    onTestFinished(() => shop.close());
    const referrer = await createReferrer(app);
    await referrer.lead(CUSTOMER);
    const settings = { accessToken: TOKEN, shopDomain: SHOP, apiUrl: shop.url };
    const endpoint = await createEndpoint(app, 'shopify', settings);
    const reconcile = async (dryRun = false) => {
      const body = { since: SINCE, dryRun };
      const { id } = (await app.call('POST', `/api/webhook-endpoints/${endpoint.id}/reconcile`, { body })).body;
      await continueReconciliations(app.service);
      return (await app.call('GET', `/api/reconciliations/${id}`)).body;
    };
    return { app, shop, endpoint, reconcile };
  }

  const STRANGER = { ...PAID, note_attributes: [] };
  it.each([
    ['was refunded', 'orders/paid', PAID, 'sale'],
    ['nobody is known for', 'orders/paid', STRANGER, 'unattributed'],
    ['is not paid yet', 'orders/create', { ...PAID, financial_status: 'pending' }, 'noted'],
    ['cost nothing', 'orders/paid', bodyOf('orders_paid--free'), 'noted'],
  ])('knows an order that has changed since and %s', async (_, topic, order, outcome) => {
    const { shop, endpoint, reconcile } = await openShop();
    expect((await endpoint.deliver(order, topic)).body.outcome).toBe(outcome);
    await endpoint.deliver(REFUND, 'refunds/create');
    const changed = { updated_at: '2026-11-15T10:00:05-05:00', tags: 'shipped', refunds: [REFUND] };
    shop.orders = [JSON.stringify({ ...order, ...changed })];
    for (const dryRun of [true, false]) {
      const { status, counts, missing } = await reconcile(dryRun);
      expect([status, missing]).toEqual(['completed', []]);
      expect(counts).toMatchObject({ read: 2, known: 2, sales: 0, reversals: 0, unattributed: 0, other: 0 });
    }
  });

  it('says what its access token may not read, and no longer once it may', async () => {
    const { app, shop, endpoint, reconcile } = await openShop();
    const oldOrders = {
      what: 'orders that were created more than 60 days ago',
      reason: 'the access token does not have the access scope read_all_orders',
    };
    const disputes = {
      what: 'disputes',
      reason:
        'the access token does not have the access scope read_shopify_payments_disputes; a shop without Shopify Payments ' +
        'has no disputes',
    };
    for (const dryRun of [true, false]) {
      expect(await reconcile(dryRun)).toMatchObject({ status: 'completed', notRead: [oldOrders, disputes] });
    }
    shop.scopes.push('read_all_orders', 'read_shopify_payments_disputes');
    expect(await reconcile()).toMatchObject({ status: 'completed', notRead: [] });
    const { data } = (await app.call('GET', `/api/reconciliations?endpointId=${endpoint.id}`)).body;
    expect(data.map(({ notRead }: { notRead: unknown[] }) => notRead.length)).toEqual([0, 2, 2]);
  });

  it('learns who ordered from an order that has changed since', async () => {
    const { shop, endpoint, reconcile } = await openShop();
    await endpoint.deliver(STRANGER, 'orders/paid');
    shop.orders = [JSON.stringify({ ...PAID, updated_at: '2026-11-15T10:00:05-05:00' })];
    expect((await reconcile(true)).counts).toMatchObject({ read: 1, sales: 1 });
    expect((await reconcile()).counts).toMatchObject({ read: 1, sales: 1 });
  });
});
