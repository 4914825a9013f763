import { describe, expect, test } from 'vitest';
import type { Interpretation } from '../../src/core/facts.ts';
import { DEFAULT_SETTINGS, type Fixture } from './fixtures.ts';
import { factsOf, firstKind, interpret, interpretPayload, payloadOf, stripeFixtures } from './stripe-events.ts';

describe('checkout sessions', () => {
  test.each([
    ['payment', 'paid', 'payment.received'],
    ['payment', 'unpaid', 'customer.identified'],
    ['payment', 'no_payment_required', 'customer.identified'],
    ['payment', 'half_paid', 'unknown'],
    ['subscription', 'paid', 'payment.referenced'],
    ['subscription', 'unpaid', 'payment.referenced'],
    ['setup', 'no_payment_required', 'customer.identified'],
    ['lease', 'paid', 'unknown'],
  ])('mode %s with payment_status %s becomes %s', (mode, payment_status, expected) => {
    const interpretation = session({ mode, payment_status, invoice: mode === 'subscription' ? 'in_1' : null });
    expect(firstKind(interpretation)).toBe(expected);
  });

  test('a delayed payment that succeeded is a sale, whatever the session still says about it', () => {
    const fixture = 'checkout.session.async_payment_succeeded';
    expect(firstKind(interpret(fixture, { payment_status: 'unpaid' }))).toBe('payment.received');
  });

  test('the sale is named by the invoice, otherwise the payment intent, otherwise the session', () => {
    expect(session({ invoice: 'in_1' })).toHaveProperty('facts.0.invoiceId', 'in_1');
    expect(session({ invoice: null, payment_intent: 'pi_1' })).toHaveProperty('facts.0.invoiceId', 'pi_1');
    const nameless = session({ invoice: null, payment_intent: null, id: 'cs_1' });
    expect(nameless).toHaveProperty('facts.0.invoiceId', 'cs_1');
    expect(nameless).toHaveProperty('facts.0.references', ['cs_1']);
  });

  test('a free order is not a sale', () => {
    const free = { amount_total: 0, total_details: null, shipping_cost: null };
    expect(firstKind(session(free))).not.toBe('payment.received');
  });

  test('client_reference_id counts only when it is a click id', () => {
    const clickId = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
    const place = 'session.client_reference_id';
    expect(session({ client_reference_id: clickId })).toHaveProperty('facts.0.customer.clickIds', [
      { value: clickId, place },
    ]);
    expect(session({ client_reference_id: 'user_77' })).toHaveProperty('facts.0.customer.clickIds', []);
  });

  test('tax and shipping that exceed the total are not counted by a guess', () => {
    const interpretation = session({ amount_total: 100 });
    expect(interpretation).toMatchObject({
      kind: 'unknown',
      reason: expect.stringMatching(/^payment.received: the net amount is -\d+, not from 0 to 100$/),
    });
  });

  test('tax included in the shown shipping is subtracted only once', () => {
    expect(interpret('checkout.session.completed--tax_inclusive')).toHaveProperty('facts.0.netMinor', 2000);
  });
});

describe('payment intents', () => {
  const counting = { ...DEFAULT_SETTINGS, countPaymentIntents: true };

  test('count only if the endpoint says so, and never when an invoice counts them', () => {
    const counted = 'payment_intent.succeeded--counted';
    expect(firstKind(interpret(counted, {}, counting))).toBe('payment.received');
    expect(factsOf(interpret(counted, {}, DEFAULT_SETTINGS)).map(({ kind }) => kind)).toEqual([
      'payment.referenced',
      'customer.identified',
      'noted',
    ]);
    for (const metadata of [{}, { svc_id: 'clk_1' }]) {
      const [paying] = factsOf(interpret(counted, { invoice: 'in_1', metadata }, counting));
      expect(paying).toMatchObject({ kind: 'payment.referenced', paidInvoice: { id: 'in_1' } });
    }
  });

  test.each([
    ['in_1TdAurora3MaraFirst', 'payment.referenced', ['in_1TdAurora3MaraFirst', 'pi_3TdAuroraNoorElement']],
    ['cs_live_a1Aurora3NoorSession', 'payment.received', ['pi_3TdAuroraNoorElement', 'cs_live_a1Aurora3NoorSession']],
    ['in_4711', 'payment.received', ['pi_3TdAuroraNoorElement']],
    [4711, 'payment.received', ['pi_3TdAuroraNoorElement']],
  ])('what Stripe or the merchant calls the order %s is %s', (order_reference, kind, references) => {
    const changes = { payment_details: { order_reference }, latest_charge: null };
    const counted = factsOf(interpret('payment_intent.succeeded--counted', changes, counting))[0];
    expect(counted).toMatchObject({ kind, references });
    const nameless = { ...changes, metadata: {} };
    const [joined] = factsOf(interpret('payment_intent.succeeded--counted', nameless, DEFAULT_SETTINGS));
    expect(joined?.kind === 'payment.referenced' ? joined.references.toSorted() : []).toEqual(
      references.length > 1 ? references.toSorted() : [],
    );
  });

  test('tax and shipping of more than was captured are taken in proportion', () => {
    const details = { tax: { total_tax_amount: 1_000 }, shipping: { amount: 500 } };
    const amounts = { amount: 10_000, amount_received: 1_000, amount_details: details };
    const [fact] = factsOf(interpret('payment_intent.succeeded--counted', amounts, counting));
    expect(fact).toMatchObject({ grossMinor: 1_000, netMinor: 850, taxMinor: 100, shippingMinor: 50 });
    const captured = { ...amounts, amount_details: { tax: { total_tax_amount: 100 } } };
    expect(interpret('payment_intent.succeeded--counted', captured, counting)).toHaveProperty('facts.0.netMinor', 900);
  });

  test('an intent that received nothing is neither a sale nor a capture', () => {
    const kindsOf = (fixture: string, settings = DEFAULT_SETTINGS) =>
      factsOf(interpret(fixture, { amount_received: 0 }, settings)).map(({ kind }) => kind);
    const named = ['payment.referenced', 'customer.identified', 'noted'];
    expect(kindsOf('payment_intent.succeeded--counted', counting)).toEqual(named);
    expect(kindsOf('payment_intent.succeeded--manual_capture')).toEqual(['payment.referenced', 'noted']);
  });
});

describe('refunds', () => {
  test.each([
    ['succeeded', 'payment.refunded'],
    ['failed', 'payment.refund_undone'],
    ['canceled', 'payment.refund_undone'],
    ['pending', 'noted'],
    ['requires_action', 'noted'],
    ['reversed', 'unknown'],
  ])('a refund that is %s becomes %s, for every event that reports it', (status, expected) => {
    for (const fixture of ['refund.created', 'refund.updated', 'charge.refund.updated']) {
      expect(firstKind(interpret(fixture, { status }))).toBe(expected);
    }
    expect(firstKind(interpret('refund.failed', { status }))).toBe(status === 'succeeded' ? 'unknown' : expected);
  });

  test('both kinds of events about a refund name the payment by a reference that they share', () => {
    const [byId] = factsOf(interpret('refund.created'));
    const [cumulative] = factsOf(interpret('charge.refunded--partial'));
    expect(byId).toHaveProperty('references', ['pi_3TozAurora3MaraRenew', 'ch_3TozAurora3MaraRenew']);
    expect(cumulative).toHaveProperty('references', ['pi_3TozAurora3MaraRenew', 'ch_3TozAurora3MaraRenew']);
  });

  test('name the charge alone, which may have paid another invoice than the one that it names', () => {
    const [invoice, ...charge] = ['in_1P3AuroraPriyaRenew', 'pi_3P3AuroraPriyaRenew', 'ch_3P3AuroraPriyaRenew'];
    expect(factsOf(interpret('charge.refunded--before_basil'))).toMatchObject([
      { kind: 'payment.referenced', references: [invoice, ...charge], paidInvoice: { id: invoice } },
      { kind: 'payment.refunded', references: charge },
      { kind: 'customer.identified' },
    ]);
  });
});

describe('disputes', () => {
  test.each([
    ['charge.dispute.created', 'needs_response', 'open'],
    ['charge.dispute.created', 'under_review', 'open'],
    ['charge.dispute.created', 'appeal_needs_response', 'open'],
    ['charge.dispute.created', 'appeal_under_review', 'open'],
    ['charge.dispute.created', 'warning_needs_response', 'noted'],
    ['charge.dispute.created', 'warning_under_review', 'noted'],
    ['charge.dispute.created', 'arbitration', 'unknown'],
    ['charge.dispute.updated', 'under_review', 'noted'],
    ['charge.dispute.updated', 'arbitration', 'unknown'],
    ['charge.dispute.funds_withdrawn', 'needs_response', 'open'],
    ['charge.dispute.funds_withdrawn', 'lost', 'lost'],
    ['charge.dispute.funds_reinstated', 'won', 'won'],
    // only what was refunded before the dispute came back
    ['charge.dispute.funds_reinstated', 'lost', 'lost'],
    ['charge.dispute.closed--won', 'won', 'won'],
    ['charge.dispute.closed--lost', 'lost', 'lost'],
    ['charge.dispute.closed--won', 'prevented', 'won'],
    ['charge.dispute.closed--won', 'charge_refunded', 'won'],
    ['charge.dispute.closed--won', 'warning_closed', 'noted'],
    ['charge.dispute.closed--won', 'settled', 'unknown'],
  ])('%s with status %s is %s', (fixture, status, expected) => {
    const interpretation = interpret(fixture, { status });
    const [fact] = factsOf(interpretation);
    expect(fact?.kind === 'payment.disputed' ? fact.state : firstKind(interpretation)).toBe(expected);
  });

  test('a dispute that names no charge is unknown', () => {
    expect(interpret('charge.dispute.created', { charge: null, payment_intent: null }).kind).toBe('unknown');
  });
});

describe('every event', () => {
  test.each(['constructor', '__proto__', 'toString', 'INVOICE.PAID', 'invoice', 'x'.repeat(300), '', 7, null])(
    'of the made-up type %s is unknown',
    (type) => {
      expect(interpretPayload({ ...payloadOf('invoice.paid--renewal'), type }).kind).toBe('unknown');
    },
  );

  test('of the test mode is ignored, until the endpoint accepts test events', () => {
    for (const { name, settings, interpretation } of stripeFixtures.filter(isLive)) {
      const payload = { ...payloadOf(name), livemode: false };
      const ignored = { kind: 'ignored', reason: expect.stringContaining('test event') };
      expect(interpretPayload(payload, { ...settings, acceptTestEvents: false })).toMatchObject(ignored);
      expect(interpretPayload(payload, { ...settings, acceptTestEvents: true })).toStrictEqual(interpretation);
    }
    expect(stripeFixtures.filter(isLive).length).toBeGreaterThan(50);
  });

  test('has its own id among the fixtures', () => {
    const keys = stripeFixtures.map((fixture) => fixture.deliveryKey);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test.each(['terminal.reader.action_succeeded', 'issuing_card.created', 'identity.verification_session.verified'])(
    'of the type %s is known and ignored',
    (type) => {
      expect(interpretPayload({ ...payloadOf('product.updated'), type }).kind).toBe('ignored');
    },
  );

  test('may have any id expanded into its object', () => {
    const expanded = interpret('charge.dispute.created', {
      charge: { id: 'ch_3TdAurora3MaraFirst', object: 'charge' },
      payment_intent: { id: 'pi_3TdAurora3MaraFirst', object: 'payment_intent' },
    });
    expect(expanded).toStrictEqual(interpret('charge.dispute.created'));
    expect(interpret('charge.dispute.created', { charge: { object: 'charge' } }).kind).toBe('unknown');
  });
});

function session(changes: object): Interpretation {
  return interpret('checkout.session.completed--payment', { customer: 'cus_Ux6OtisHale', ...changes });
}

function isLive({ name }: Fixture): boolean {
  return !/--(test|test_accepted|thin)$/.test(name);
}

describe('unusual invoices', () => {
  test.each([
    ['lines', {}],
    ['lines', []],
    ['payments', {}],
    ['payments', { data: [{}] }],
  ])('%s %j never lose the sale', (member, value) => {
    expect(firstKind(interpret('invoice.paid--renewal', { [member]: value }))).toBe('payment.received');
  });

  test('that are paid in part wait for the rest', () => {
    expect(firstKind(interpret('invoice.payment_succeeded--renewal', { amount_remaining: 1 }))).toBe(
      'customer.identified',
    );
    expect(firstKind(interpret('invoice.payment_succeeded--renewal', { amount_remaining: 0 }))).toBe(
      'payment.received',
    );
  });
});
