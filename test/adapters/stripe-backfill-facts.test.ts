import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from './fixtures.ts';
import { openStripeApi, type StripeApi } from './stripe-api.ts';
import { interpretDelivery, readRecords } from './stripe-backfill-pages.ts';
import { factsOf, interpretPayload, payloadOf } from './stripe-events.ts';

const COUNTED = { ...DEFAULT_SETTINGS, countPaymentIntents: true };
const HOUR = 3600;

let api: StripeApi;
beforeEach(async () => {
  api = await openStripeApi();
});
afterEach(() => api.close());

/** What the API has of a payment: its charge, and when the money arrived. */
function addPayment({ payment_intent: id }: { payment_intent: string }, times: { chargedAt: number; paidAt: number }) {
  const ids = { charge: `ch_${id}`, moved: `txn_${id}` };
  api.addExpandable(
    { id, object: 'payment_intent', capture_method: 'automatic_async', latest_charge: ids.charge },
    { id: ids.charge, object: 'charge', created: times.chargedAt, balance_transaction: ids.moved },
    { id: ids.moved, object: 'balance_transaction', created: times.paidAt, amount: 1, currency: 'usd' },
  );
}

describe('a Checkout session that was read gives the facts of its event', () => {
  test.each([
    'checkout.session.completed--payment',
    'checkout.session.completed--invoice',
    'checkout.session.completed--isk',
    'checkout.session.completed--tax_inclusive',
    'checkout.session.completed--test',
    'checkout.session.completed--unknown_currency',
  ])('%s', async (fixture) => {
    const { created, livemode, data } = payloadOf(fixture);
    const { payment_intent: paidBy } = data.object;
    const object = { ...data.object, payment_intent: paidBy.id ?? paidBy };
    api.add('checkout/sessions', object);
    addPayment(object, { chargedAt: created, paidAt: created });
    const [delivery, ...others] = await readRecords(api);
    expect(others).toEqual([]);
    expect(JSON.parse(String(delivery?.rawBody))).toMatchObject({ created, livemode, data: { object } });
    expect(interpretDelivery(delivery)).toEqual(interpretPayload(payloadOf(fixture)));
  });

  test('paid by a delayed payment method, at the time at which the money arrived', async () => {
    const webhook = payloadOf('checkout.session.async_payment_succeeded');
    api.add('checkout/sessions', webhook.data.object);
    addPayment(webhook.data.object, { chargedAt: webhook.created - 72 * HOUR, paidAt: webhook.created });
    const [delivery] = await readRecords(api);
    expect(interpretDelivery(delivery)).toEqual(interpretPayload(webhook));
  });

  test('not paid yet', async () => {
    const webhook = payloadOf('checkout.session.completed--unpaid');
    const { payment_intent: id } = webhook.data.object;
    api.add('checkout/sessions', webhook.data.object);
    api.addExpandable(
      { id, object: 'payment_intent', capture_method: 'automatic', latest_charge: 'ch_1' },
      { id: 'ch_1', object: 'charge', created: webhook.created, balance_transaction: null },
    );
    const [delivery] = await readRecords(api);
    expect(interpretDelivery(delivery)).toEqual(interpretPayload(webhook));
  });

  test.each([
    { capture_method: 'manual' },
    { capture_method: 'automatic', payment_method_options: { card: { capture_method: 'manual' } } },
  ])('captured by hand: it is announced, although the session says that it is paid (%o)', async (captured) => {
    const webhook = payloadOf('checkout.session.completed--manual_capture');
    const { payment_intent: id } = webhook.data.object;
    api.add('checkout/sessions', { ...webhook.data.object, payment_status: 'paid' });
    addPayment(webhook.data.object, { chargedAt: webhook.created, paidAt: webhook.created + 24 * HOUR });
    api.addExpandable({ id, object: 'payment_intent', ...captured, latest_charge: `ch_${id}` });
    const [delivery] = await readRecords(api);
    expect(interpretDelivery(delivery)).toEqual(interpretPayload(webhook));
  });

  test.each(['subscription', 'setup', 'no_payment_required'])(
    'without a payment of its own, but for the time, which is that of its creation: %s',
    async (variant) => {
      const webhook = payloadOf(`checkout.session.completed--${variant}`);
      const { object } = webhook.data;
      api.add('checkout/sessions', object);
      const [delivery] = await readRecords(api);
      const expected = interpretPayload({ ...webhook, created: object.created });
      expect(interpretDelivery(delivery)).toEqual(expected);
    },
  );
});

describe('an invoice that was read gives the facts of its event', () => {
  test.each(['first', 'renewal', 'credit_balance', 'customer_account', 'manual_shipping', 'trial'])(
    'invoice.paid--%s, identified at the time of payment',
    async (variant) => {
      const webhook = payloadOf(`invoice.paid--${variant}`);
      const { object } = webhook.data;
      api.add('invoices', object);
      const [delivery] = await readRecords(api);
      const expected = interpretPayload({ ...webhook, created: object.status_transitions.paid_at });
      expect(interpretDelivery(delivery)).toEqual(expected);
    },
  );

  test('and the codes of its discounts, which a webhook leaves to customer.discount.created', async () => {
    const webhook = payloadOf('invoice.paid--renewal');
    const discounted = { ...webhook.data.object, discounts: ['di_1'] };
    api.add('invoices', discounted);
    const source = { coupon: 'AURORA20', type: 'coupon' };
    api.addExpandable({ id: 'di_1', object: 'discount', source, promotion_code: 'promo_1' });
    const [delivery] = await readRecords(api);
    const [fact] = factsOf(interpretPayload({ ...webhook, data: { object: discounted } }));
    expect(fact).toMatchObject({ discountCodes: [] });
    expect(factsOf(interpretDelivery(delivery))).toEqual([{ ...fact, discountCodes: ['promo_1', 'AURORA20'] }]);
  });

  test.each(['invoice_payment.paid', 'invoice_payment.paid--renewal'])('%s', async (fixture) => {
    const webhook = payloadOf(fixture);
    api.add('invoice_payments', webhook.data.object);
    const [delivery] = await readRecords(api);
    expect(interpretDelivery(delivery)).toEqual(interpretPayload(webhook));
  });
});

describe('a payment intent that was read gives the facts of its event', () => {
  test.each(['', '--counted', '--counted_mga', '--identity', '--manual_capture'])(
    'payment_intent.succeeded%s',
    async (variant) => {
      const webhook = payloadOf(`payment_intent.succeeded${variant}`);
      const { object } = webhook.data;
      api.add('payment_intents', object, { ...object, id: 'pi_unpaid', status: 'requires_capture' });
      addPayment({ payment_intent: object.id }, { chargedAt: webhook.created - HOUR, paidAt: webhook.created });
      const charge = { id: object.latest_charge, object: 'charge', created: webhook.created - HOUR };
      api.addExpandable({ ...charge, balance_transaction: `txn_${object.id}` });
      const [delivery, ...others] = await readRecords(api);
      expect(others).toEqual([]);
      for (const settings of [DEFAULT_SETTINGS, COUNTED]) {
        expect(interpretDelivery(delivery, settings)).toEqual(interpretPayload(webhook, settings));
      }
    },
  );
});
