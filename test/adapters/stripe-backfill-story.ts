import { unique } from '../helpers/story.ts';
import type { StripeApi } from './stripe-api.ts';

const DAY = 86_400;
const START = Date.UTC(2026, 5, 1) / 1000;

/** What one customer paid and got back, as webhooks told it and as the API has it since. */
export interface BackfillStory {
  webhooks: object[];
  fill(api: StripeApi): void;
  /** Its sales, the smallest first. */
  sales: { amount: number; grossAmount: number; refundedAmount: number; reversedCommissionAmount: number }[];
}

const event = (type: string, created: number, object: object, api_version = '2026-10-28.endive') => ({
  ...{ id: unique('evt'), object: 'event', api_version, created, livemode: true, type, data: { object } },
});

/** A payment intent, its charge and its balance transaction. */
function payment(amount: number, { captured = amount, at = START, currency = 'usd', ...fields }) {
  const id = unique('pi');
  const [chargeId, movedId] = [`ch_${id}`, `txn_${id}`];
  const shared = { livemode: true, currency, created: at, customer: null, metadata: {} };
  const moved = { id: movedId, object: 'balance_transaction', amount, currency, created: at };
  const charge = { id: chargeId, object: 'charge', payment_intent: id, balance_transaction: movedId, ...shared };
  const intent = { id, object: 'payment_intent', status: 'succeeded', capture_method: 'automatic', ...shared };
  const amounts = { amount, amount_received: captured, latest_charge: chargeId };
  return {
    id,
    intent: { ...intent, ...amounts, ...fields },
    charge: { ...charge, amount, amount_captured: captured, amount_refunded: 0 },
    moved,
  };
}

type Payment = ReturnType<typeof payment>;

const refundOf = ({ id, charge }: Payment, amount: number, created: number) => ({
  ...{ id: unique('re'), object: 'refund', status: 'succeeded', amount, currency: charge.currency, created },
  ...{ payment_intent: id, charge: charge.id, failure_balance_transaction: null },
});

function sessionOf(customer: string, fields: object) {
  const shared = { object: 'checkout.session', status: 'complete', livemode: true, currency: 'usd', customer: null };
  return { id: unique('cs'), created: START - 60, metadata: { svcCustomerExternalId: customer }, ...shared, ...fields };
}

/** 120.00 with tax: 30.00 was refunded, a refund of 10.00 failed, and a dispute was won. */
function oneTime(customer: string): BackfillStory {
  const paid = payment(12_000, {});
  const totals = { amount_total: 12_000, total_details: { amount_tax: 2_000, amount_shipping: 0 } };
  const session = sessionOf(customer, { mode: 'payment', payment_status: 'paid', payment_intent: paid.id, ...totals });
  const refund = refundOf(paid, 3_000, START + DAY);
  const failing = refundOf(paid, 1_000, START + 2 * DAY);
  const failed = { ...failing, status: 'failed', failure_balance_transaction: unique('txn') };
  const failure = { id: failed.failure_balance_transaction, amount: 1_000, currency: 'usd', created: START + 5 * DAY };
  const dispute = { id: unique('du'), object: 'dispute', livemode: true, amount: 2_400, currency: 'usd' };
  const of = { payment_intent: paid.id, charge: paid.charge.id, created: START + 6 * DAY };
  const opened = { ...dispute, ...of, status: 'needs_response', balance_transactions: [] };
  const won = { ...opened, status: 'won', balance_transactions: [{ created: START + 40 * DAY }] };
  const total = (amount_refunded: number, created: number) =>
    event('charge.refunded', created, { ...paid.charge, amount_refunded });
  return {
    webhooks: [
      event('checkout.session.completed', START, session),
      event('payment_intent.succeeded', START, paid.intent),
      event('refund.created', START + DAY, refund),
      total(3_000, START + DAY),
      event('refund.created', START + 2 * DAY, failing),
      total(4_000, START + 2 * DAY),
      event('refund.failed', START + 5 * DAY, failed),
      event('charge.dispute.created', START + 6 * DAY, opened),
      event('charge.dispute.funds_withdrawn', START + 6 * DAY, opened),
      event('charge.dispute.closed', START + 40 * DAY, won),
    ],
    fill(api) {
      api.add('checkout/sessions', session);
      api.add('payment_intents', paid.intent);
      api.add('refunds', refund, failed);
      api.add('disputes', won);
      api.addExpandable(paid.intent, { ...paid.charge, amount_refunded: 3_000 }, paid.moved, failure);
    },
    sales: [{ amount: 10_000, grossAmount: 12_000, refundedAmount: 3_000, reversedCommissionAmount: 500 }],
  };
}

/** A subscription's first invoice of 60.00 with tax, of which 6.00 was refunded: the refund names only the intent. */
function subscription(customer: string): BackfillStory {
  const paid = payment(6_000, {});
  const ids = { customer: unique('cus'), subscription: unique('sub') };
  const invoiceId = unique('in');
  const of = {
    mode: 'subscription',
    payment_status: 'paid',
    payment_intent: null,
    invoice: invoiceId,
    amount_total: 6_000,
  };
  const session = sessionOf(customer, { ...of, ...ids, expires_at: START + DAY });
  const invoice = {
    ...{ id: invoiceId, object: 'invoice', status: 'paid', livemode: true, created: START - 60, currency: 'usd' },
    ...{ billing_reason: 'subscription_create', amount_paid: 6_000, total: 6_000, total_excluding_tax: 5_000 },
    ...{ customer: ids.customer, status_transitions: { paid_at: START }, discounts: [] },
    parent: { subscription_details: { subscription: ids.subscription, metadata: {} } },
  };
  const link = {
    ...{ id: unique('inpay'), object: 'invoice_payment', status: 'paid', livemode: true, created: START - 60 },
    ...{ invoice: invoiceId, payment: { type: 'payment_intent', payment_intent: paid.id } },
    status_transitions: { paid_at: START },
  };
  const refund = refundOf(paid, 600, START + DAY);
  return {
    webhooks: [
      event('checkout.session.completed', START + 2, session),
      event('invoice.paid', START + 1, invoice),
      event('invoice_payment.paid', START + 1, link),
      event('payment_intent.succeeded', START, paid.intent),
      event('refund.created', START + DAY, refund),
      event('charge.refunded', START + DAY, { ...paid.charge, amount_refunded: 600 }),
    ],
    fill(api) {
      api.add('checkout/sessions', session);
      api.add('invoices', invoice);
      api.add('invoice_payments', link);
      api.add('payment_intents', paid.intent);
      api.add('refunds', refund);
      api.addExpandable(paid.intent, { ...paid.charge, amount_refunded: 600 }, paid.moved);
    },
    sales: [{ amount: 5_000, grossAmount: 6_000, refundedAmount: 600, reversedCommissionAmount: 100 }],
  };
}

/** 75.00 of 125.00 with tax was captured by hand, under a version that refunded the rest; then 7.50 was refunded. */
function partlyCaptured(customer: string): BackfillStory {
  const capturedAt = START + DAY;
  const paid = payment(12_500, { captured: 7_500, capture_method: 'manual' });
  const totals = { amount_total: 12_500, total_details: { amount_tax: 2_500, amount_shipping: 0 } };
  const session = sessionOf(customer, { mode: 'payment', payment_status: 'paid', payment_intent: paid.id, ...totals });
  const rest = refundOf(paid, 5_000, capturedAt);
  const refund = refundOf(paid, 750, capturedAt + DAY);
  const acacia = '2024-10-28.acacia';
  return {
    webhooks: [
      event('checkout.session.completed', START, { ...session, payment_status: 'unpaid' }, acacia),
      event('payment_intent.succeeded', capturedAt, paid.intent, acacia),
      event('refund.created', capturedAt, rest, acacia),
      event('charge.refunded', capturedAt, { ...paid.charge, amount_refunded: 5_000 }, acacia),
      event('refund.created', capturedAt + DAY, refund, acacia),
      event('charge.refunded', capturedAt + DAY, { ...paid.charge, amount_refunded: 5_750 }, acacia),
    ],
    fill(api) {
      api.add('checkout/sessions', session);
      api.add('payment_intents', paid.intent);
      api.add('refunds', rest, refund);
      const moved = { ...paid.moved, created: capturedAt };
      api.addExpandable(paid.intent, { ...paid.charge, amount_refunded: 5_750 }, moved);
    },
    sales: [{ amount: 6_000, grossAmount: 7_500, refundedAmount: 750, reversedCommissionAmount: 120 }],
  };
}

/** All that one customer paid. */
export function storyOf(customer: string): BackfillStory {
  const parts = [subscription, partlyCaptured, oneTime].map((part) => part(customer));
  return {
    webhooks: parts.flatMap(({ webhooks }) => webhooks),
    fill: (api) => {
      for (const part of parts) part.fill(api);
    },
    sales: parts.flatMap(({ sales }) => sales),
  };
}
