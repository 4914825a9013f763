import { DAY_MS, isoTime } from '../../core/time.ts';
import type { DemoDelivery, Performance } from './performance.ts';

/** Everything that happens, in this order; `EXPECTED_SALES` is how it ends. */
export async function tellStory(play: Performance): Promise<void> {
  const now = Date.now();
  await tellStripe(play, now);
  await tellShopify(play, now);
  await tellPaddle(play, now);
  await tellPolar(play, now);
  await tellRevenueCat(play, now);
}

async function tellStripe(play: Performance, now: number): Promise<void> {
  const clickId = await play.visit('Mara follows the link of Ana', 'ana');
  await play.signUp('she signs up', clickId, 'user_1042');
  const aMonthAgo = now - 31 * DAY_MS;
  const session = stripeEvent('checkout.session.completed', 'subscription', aMonthAgo);
  const first = stripeEvent('invoice.paid', 'first', aMonthAgo, paidAt(aMonthAgo));
  await play.deliver('she subscribes; the session tells who she is', session, 'noted');
  await play.deliver('her first invoice is paid', first, 'sale');
  await play.deliver('Stripe delivers that again', first, 'duplicate');
  await play.deliver('somebody forges one', { ...first, forged: true }, 'rejected');
  const reported = { clickId, customerExternalId: 'user_1042', amount: 5513, invoiceId: 'in_1TdAurora3MaraFirst' };
  await play.reportSale('the backend reports the same invoice', reported, '409 DUPLICATE_INVOICE');
  // what a merchant forgets: the renewal names nobody but by Stripe's own ids
  const renewal = stripeEvent('invoice.paid', 'renewal', now, [
    ...paidAt(now),
    'data.object.parent.subscription_details.metadata={}',
    'data.object.lines.data.0.metadata={}',
  ]);
  await play.deliver('it renews, and the metadata is forgotten', renewal, 'sale');
  await play.deliver('which payment paid it', stripeEvent('invoice_payment.paid', 'renewal', now), 'noted');
  await play.deliver('a part of that goes back', stripeEvent('charge.refunded', 'partial', now), 'reversal');
}

async function tellShopify(play: Performance, now: number): Promise<void> {
  const clickId = await play.visit('Ines follows the link of Ben', 'ben');
  const notes = JSON.stringify([{ name: 'svc_id', value: clickId }]);
  await play.deliver(
    'she pays without an account; the cart has her click',
    shopifyOrder(now, [`note_attributes=${notes}`, 'discount_codes=[]', 'discount_applications=[]']),
    'sale',
  );
  await play.deliver('her bank disputes it', { processor: 'shopify', event: 'disputes/create' }, 'reversal');
  await play.deliver(
    'Noor, never seen before, has a code of Cleo',
    shopifyOrder(now, [
      'id=6184520099999',
      'admin_graphql_api_id=gid://shopify/Order/6184520099999',
      'note_attributes=[]',
      'customer=null',
      'email=noor@example.com',
      'contact_email=noor@example.com',
    ]),
    'sale',
  );
}

async function tellPaddle(play: Performance, now: number): Promise<void> {
  const at = isoTime(now);
  const clickId = await play.visit('Marta follows the link of Cleo', 'cleo');
  const paid: DemoDelivery = {
    processor: 'paddle',
    event: 'transaction.completed',
    variant: 'subscription-first',
    overrides: [
      `occurred_at=${at}`,
      `data.payments.1.captured_at=${at}`,
      'data.custom_data.svcCustomerExternalId=user_2207',
    ],
  };
  await play.deliver('her payment is faster than her sign-up', paid, 'unattributed');
  await play.signUp('she signs up, and it is attributed', clickId, 'user_2207');
}

async function tellPolar(play: Performance, now: number): Promise<void> {
  const overrides = [`timestamp=${isoTime(now)}`, 'data.id=81c6a3f0-2d5e-47b9-9a10-4e7c8b2d6f31'];
  const polar = { processor: 'polar', overrides } as const;
  await play.signUp('she signs up', await play.visit('Priya follows the link of Ben', 'ben'), 'user_4711');
  await play.deliver('she subscribes', { ...polar, event: 'order.paid', variant: 'subscription-first' }, 'sale');
  await play.deliver('she has everything back', { ...polar, event: 'order.refunded', variant: 'full' }, 'reversal');
}

async function tellRevenueCat(play: Performance, now: number): Promise<void> {
  const purchased = { processor: 'revenuecat', overrides: [`event.purchased_at_ms=${now}`] } as const;
  await play.signUp('he signs up', await play.visit('Tomas follows the link of Ana', 'ana'), 'user_5101');
  await play.deliver('he subscribes in the App Store', { ...purchased, event: 'INITIAL_PURCHASE' }, 'sale');
  await play.deliver('it renews', { ...purchased, event: 'RENEWAL' }, 'sale');
}

function stripeEvent(event: string, variant: string, at: number, overrides: readonly string[] = []): DemoDelivery {
  return { processor: 'stripe', event, variant, overrides: [`created=${seconds(at)}`, ...overrides] };
}

function paidAt(at: number): string[] {
  return [`data.object.status_transitions.paid_at=${seconds(at)}`];
}

function shopifyOrder(now: number, overrides: readonly string[]): DemoDelivery {
  const processedAt = `processed_at=${isoTime(now)}`;
  return { processor: 'shopify', event: 'orders/paid', overrides: [processedAt, ...overrides] };
}

function seconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}
