import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../helpers/databases.ts';
import { createScene, type Scene } from './scene.ts';

const FIRST = 'gid://shopify/Order/6184520093761';
const RENEWAL = 'gid://shopify/Order/6201873350721';
const ALREADY_A_SALE = 'duplicate: this payment is already sale sal_…';

describe.each(engines)('the story of Ines, who orders at a Shopify shop, on %s', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene(engine, 'shopify', { shopDomain: 'fern.myshopify.com' });
  });
  afterAll(() => scene.app.close());

  it('starts with her sign-up, and an order that is authorized but not paid', async () => {
    await scene.referrer.lead('user_4101');
    expect(await scene.deliver('orders_create')).toMatch(/^noted: .* order .* is not paid yet \(authorized\)$/);
    expect(await scene.books()).toEqual({});
  });

  it('counts the order once: when it is paid, and not again for orders/create', async () => {
    expect(await scene.deliver('orders_paid')).toBe('sale');
    expect(await scene.deliver('orders_paid')).toBe('duplicate: seen before');
    expect(await scene.deliverAs('orders/create', 'orders_paid')).toBe(ALREADY_A_SALE);
    expect(await scene.books()).toEqual({ [FIRST]: '9900 usd earns 1980' });
  });

  it("counts the renewal, which only names the shop's customer, whichever topic comes first", async () => {
    expect(await scene.deliver('subscription_contracts_create')).toMatch(/^noted: a subscription began/);
    expect(await scene.deliver('subscription_billing_attempts_success')).toMatch(/^noted: joined /);
    expect(await scene.deliver('orders_create--paid-renewal')).toBe('sale');
    expect(await scene.deliver('orders_paid--renewal')).toBe(ALREADY_A_SALE);
    const { body } = await scene.app.call('GET', `/api/sales?invoiceId=${encodeURIComponent(RENEWAL)}`);
    expect(body.data[0].attribution.matchedBy).toBe('processor_customer');
    expect(await scene.books()).toEqual({ [FIRST]: '9900 usd earns 1980', [RENEWAL]: '5400 usd earns 1080' });
  });

  it('holds a disputed amount, and releases it when the dispute is won', async () => {
    expect(await scene.deliver('disputes_create--inquiry')).toMatch(/^noted: inquiry .* no money moved$/);
    expect(await scene.deliver('disputes_create')).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [FIRST]: '9900 usd earns 1980, 1980 held, disputed' });
    expect(await scene.deliver('disputes_update--won')).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [FIRST]: '9900 usd earns 1980' });
  });

  it('reverses partial refunds in proportion, and everything in the end', async () => {
    expect(await scene.deliver('refunds_create')).toBe('reversal');
    // 23.50 of 112.17
    expect(await scene.books()).toMatchObject({ [FIRST]: '9900 usd earns 1980, 415 reversed' });
    expect(await scene.deliver('refunds_create', 'note=sent by a second subscription')).toBe(
      'duplicate: already known',
    );
    expect(await scene.deliver('refunds_create--restock-only')).toMatch(/^noted: .* paid nothing back$/);
    expect(await scene.deliver('refunds_create--the-rest')).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [FIRST]: '9900 usd earns 1980, 1980 reversed, refunded' });
  });

  it('waits for a refund that is pending at the bank, and counts it once although the order reports it, too', async () => {
    expect(await scene.deliver('refunds_create--pending')).toMatch(/^noted: .* is pending at the bank/);
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '5400 usd earns 1080' });
    expect(await scene.deliver('orders_updated--pending-refund-ended')).toBe('reversal');
    const ended = 'transactions.1.status=success';
    expect(await scene.deliver('refunds_create--pending', ended)).toBe('duplicate: already known');
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '5400 usd earns 1080, 1080 reversed, refunded' });
  });

  it('reverses the commission when a dispute is lost', async () => {
    const order = ['id=6184520099111', 'admin_graphql_api_id=gid://shopify/Order/6184520099111'];
    expect(await scene.deliver('orders_paid', ...order)).toBe('sale');
    const dispute = ['id=8811203999', 'order_id=6184520099111'];
    expect(await scene.deliver('disputes_create', ...dispute)).toBe('reversal');
    expect(await scene.deliver('disputes_update--lost', ...dispute)).toBe('reversal');
    expect(await scene.books()).toMatchObject({
      'gid://shopify/Order/6184520099111': '9900 usd earns 1980, 1980 reversed, refunded',
    });
  });

  it("reverses the share of the shopper's total when the refund is in another currency", async () => {
    await scene.referrer.lead('user_4303');
    expect(await scene.deliver('orders_paid--presentment-yen')).toBe('sale');
    expect(await scene.deliver('refunds_create--presentment-yen')).toBe('reversal');
    // 6,900 of 13,800 yen
    expect(await scene.books()).toMatchObject({
      'gid://shopify/Order/6193220149313': '8400 usd earns 1680, 840 reversed',
    });
  });

  it('notes a cancellation and a failed billing attempt', async () => {
    expect(await scene.deliver('orders_cancelled')).toMatch(/^noted: .* was cancelled; .* by refunds only$/);
    expect(await scene.deliver('subscription_billing_attempts_failure')).toMatch(/^noted: .* failed: card_declined$/);
  });

  it('parks the order of an unknown customer until she signs up', async () => {
    expect(await scene.deliver('orders_paid--taxes-included')).toBe(
      'unattributed: no partner found by external_id user_4202, processor_customer gid://shopify/Customer/7741900527937, ' +
        'email bram.vos@example.com; parked until its customer signs up',
    );
    await scene.referrer.lead('user_4202');
    expect(await scene.books()).toMatchObject({ 'gid://shopify/Order/6189077315905': '10000 eur earns 2000' });
  });

  it('counts no test, erases who asks for it, and keeps a topic without money', async () => {
    const before = await scene.books();
    expect(await scene.deliver('orders_paid--test-order')).toMatch(/^ignored: A test event/);
    expect(await scene.deliver('customers_redact')).toBe('noted: erased');
    expect(await scene.deliver('products_update')).toBe(
      'ignored: products/update is known and moves no money of a customer',
    );
    expect(await scene.books()).toEqual(before);
  });
});
