import { describe, expect, test } from 'vitest';
import type { Interpretation, PaymentReceived } from '../../src/core/facts.ts';
import { DEFAULT_SETTINGS } from './fixtures.ts';
import { factsOf, firstKind, interpret, interpretPayload, payloadOf } from './stripe-events.ts';

function receivedIn(interpretation: Interpretation): PaymentReceived {
  const [received] = factsOf(interpretation).filter((fact) => fact.kind === 'payment.received');
  if (!received) throw new Error(JSON.stringify(interpretation));
  return received;
}

describe('hints at who paid', () => {
  test('in the metadata of a charge or a payment intent belong to the payment that they name', () => {
    for (const fixture of ['charge.succeeded--guest', 'payment_intent.succeeded--manual_capture']) {
      expect(factsOf(interpret(fixture))[0]).toMatchObject({
        kind: 'payment.referenced',
        references: [expect.stringMatching(/^pi_/), expect.stringMatching(/^ch_/)],
        customer: { externalIds: [{ value: expect.stringMatching(/^user_/) }], processorCustomerId: null },
      });
    }
  });

  test('belong to the Stripe customer as well where there is one, who then keeps the e-mail address', () => {
    const [payer, identity] = factsOf(interpret('charge.succeeded--guest', { customer: 'cus_1' }));
    const customer = { externalIds: [{ value: expect.stringMatching(/^user_/) }], processorCustomerId: 'cus_1' };
    expect(payer).toMatchObject({ kind: 'payment.referenced', customer: { ...customer, email: null, name: null } });
    expect(identity).toMatchObject({ kind: 'customer.identified', customer });
  });
});

describe('an odd hint never costs a payment', () => {
  const people = { customer: {}, customer_account: 7, customer_details: [], customer_email: [] };
  const counting = { ...DEFAULT_SETTINGS, countPaymentIntents: true };

  test.each([
    ['checkout.session.completed--payment', { ...people, subscription: [] }],
    ['invoice.paid--renewal', { ...people, status_transitions: [], billing_reason: 7 }],
    ['invoice.paid--before_basil', { ...people, subscription: {}, subscription_details: [] }],
    ['payment_intent.succeeded--counted', { ...people, charges: {}, payment_details: [] }],
  ])('%s', (fixture, odd) => {
    const { grossMinor, netMinor, invoiceId } = receivedIn(interpret(fixture, {}, counting));
    expect(receivedIn(interpret(fixture, odd, counting))).toMatchObject({
      grossMinor,
      netMinor,
      invoiceId,
      customer: { processorCustomerId: null },
    });
  });

  test.each([{ parent: [] }, { parent: { subscription_details: '' } }])('a renewal with %j stays one', (odd) => {
    const renewal = receivedIn(interpret('invoice.paid--renewal', odd));
    expect(renewal).toMatchObject({ recurring: true, customer: { subscriptionId: null } });
  });

  test('an id that is empty text is none', () => {
    const empty = { customer: '', subscription: '', invoice: '', customer_account: '' };
    expect(interpret('checkout.session.completed--payment', empty)).toEqual(
      interpret('checkout.session.completed--payment', { customer: null }),
    );
  });

  test.each([{ invoice: {} }, { payment_intent: 7 }])('but an unreadable reference does: %j', (odd) => {
    expect(interpret('checkout.session.completed--payment', odd).kind).toBe('unknown');
  });

  test('nor does a charge or a refund of nobody', () => {
    const charge = { customer: {}, billing_details: [] };
    expect(factsOf(interpret('charge.refunded--partial', charge)).map(({ kind }) => kind)).toContain(
      'payment.refunded',
    );
  });
});

test('tax that a session does not state is 0', () => {
  const session = { shipping_cost: { amount_total: 500, amount_tax: 0 }, total_details: { amount_discount: 0 } };
  const { grossMinor, netMinor } = receivedIn(interpret('checkout.session.completed--payment', session));
  expect(netMinor).toBe(grossMinor - 500);
});

describe('a payer whom Stripe knows', () => {
  test.each([
    'checkout.session.completed--payment',
    'payment_intent.succeeded--identity',
    'charge.succeeded--guest',
    'customer.subscription.updated--cancel_at_period_end',
  ])('may be an account in place of a customer: %s', (fixture) => {
    const accounts = factsOf(interpret(fixture, { customer: null, customer_account: 'acct_1' })).flatMap((fact) =>
      'customer' in fact ? fact.customer?.processorCustomerId : [],
    );
    expect(new Set(accounts)).toEqual(new Set(['acct_1']));
  });

  test.each([
    ['an id of the caller', { metadata: { svcCustomerExternalId: 'user_1' } }, 'customer.identified'],
    ['a click', { metadata: { svc_id: 'clk_1' } }, 'customer.identified'],
    ['an address', { email: 'mara@example.com' }, 'customer.identified'],
    ['a name', { name: 'Mara' }, 'ignored'],
  ])('is identified by %s alone, unless it is only a name', (_what, members, kind) => {
    expect(firstKind(interpret('customer.updated--anonymous', members))).toBe(kind);
  });

  test('is identified by a subscription alone, if it says anything else', () => {
    const subscription = (metadata: object) =>
      firstKind(interpret('customer.subscription.updated--cancel_at_period_end', { customer: null, metadata }));
    expect(subscription({ svc_id: 'clk_1' })).toBe('customer.identified');
    expect(subscription({})).toBe('ignored');
  });

  test('has the address of the next place that states one', () => {
    const details = { customer_details: { email: null, name: 'Otis' }, customer_email: 'otis@example.com' };
    expect(interpret('checkout.session.completed--payment', details)).toHaveProperty(
      'facts.0.customer.email',
      'otis@example.com',
    );
  });
});

describe('a charge or a payment intent of an invoice', () => {
  test.each(['charge.succeeded--guest', 'payment_intent.succeeded--identity'])('tells who paid it: %s', (fixture) => {
    const changes = { invoice: 'in_1', customer: null, metadata: { svcCustomerExternalId: 'user_1' } };
    expect(factsOf(interpret(fixture, changes))[0]).toMatchObject({
      kind: 'payment.referenced',
      paidInvoice: { id: 'in_1' },
      customer: { externalIds: [{ value: 'user_1' }] },
    });
  });
});

describe('a session that starts a subscription', () => {
  test('counts no money when a delayed payment method has paid: invoice.paid does', () => {
    const delayed = interpret('checkout.session.async_payment_succeeded', { mode: 'subscription', invoice: 'in_1' });
    expect(factsOf(delayed).map(({ kind }) => kind)).not.toContain('payment.received');
    expect(firstKind(delayed)).toBe('payment.referenced');
  });

  test('tells who pays its first invoice, if it names anybody', () => {
    expect(factsOf(interpret('checkout.session.completed--subscription'))[0]).toMatchObject({
      kind: 'payment.referenced',
      references: [expect.stringMatching(/^in_/), expect.stringMatching(/^cs_/)],
      customer: { externalIds: [{ value: 'user_1042' }], email: null, name: null },
    });
    const nameless = interpret('checkout.session.completed--subscription', { metadata: {} });
    expect(factsOf(nameless)[0]).not.toHaveProperty('customer');
  });

  test('tells the codes of its first invoice, with or without a name', () => {
    const discounts = [{ coupon: null, promotion_code: 'promo_1' }];
    for (const changes of [{ discounts }, { discounts, metadata: {} }]) {
      expect(factsOf(interpret('checkout.session.completed--subscription', changes))[0]).toMatchObject({
        kind: 'payment.referenced',
        discountCodes: ['promo_1'],
      });
    }
  });
});

test('an invoice that was paid outside of Stripe is joined with nothing', () => {
  const payment = { payment_intent: null, charge: null, type: 'payment_record' };
  expect(interpret('invoice_payment.paid', { payment }).kind).toBe('ignored');
});

test.each(['paused', 'resumed', 'trial_will_end'])('customer.subscription.%s identifies its customer', (change) => {
  const payload = payloadOf('customer.subscription.updated--cancel_at_period_end');
  const identified = interpretPayload({ ...payload, type: `customer.subscription.${change}` });
  expect(identified).toMatchObject({ facts: [{ kind: 'customer.identified' }, { kind: 'noted' }] });
});

test.each([
  [{ cancel_at_period_end: true, cancel_at: null }, 'will end'],
  [{ cancel_at_period_end: false, cancel_at: 1_790_000_000 }, 'will end'],
  [{ cancel_at_period_end: false, cancel_at: null }, 'changed'],
])('a subscription with %j %s', (members, what) => {
  const changed = interpret('customer.subscription.updated--cancel_at_period_end', members);
  expect(factsOf(changed)[1]).toMatchObject({ kind: 'noted', what: expect.stringMatching(new RegExp(`${what}$`)) });
});

describe('what older versions of Stripe wrote elsewhere', () => {
  test('is read: the charges of a payment intent, and the discount of a subscription', () => {
    const charges = { latest_charge: null, charges: { data: [{ id: 'ch_9' }] } };
    expect(factsOf(interpret('payment_intent.succeeded--identity', charges))[0]).toMatchObject({
      references: expect.arrayContaining(['ch_9']),
    });
    const discount = { discounts: [], discount: { coupon: null, promotion_code: 'promo_9' } };
    expect(factsOf(interpret('customer.subscription.updated--cancel_at_period_end', discount))[0]).toMatchObject({
      kind: 'customer.identified',
      discountCodes: ['promo_9'],
    });
  });

  test('the address for the receipt of a payment intent is that of who paid', () => {
    const counting = { ...DEFAULT_SETTINGS, countPaymentIntents: true };
    const intent = interpret('payment_intent.succeeded--counted', { receipt_email: 'otis@example.com' }, counting);
    expect(intent).toHaveProperty('facts.0.customer.email', 'otis@example.com');
  });
});
