import type { EarlierName, Fact, Interpretation } from '../../src/core/facts.ts';
import { currencyExponent, decimalToMinor } from '../../src/core/money.ts';
import { facts, unknown } from '../contract/interpretations.ts';
import { customerOf, discountCodesOf, identifiedAliases, identifiedBy } from './customer-hints.ts';
import { amountsOf } from './money.ts';
import type { Event } from './payload.ts';

const CANCEL_REASONS = new Set([
  'UNSUBSCRIBE',
  'BILLING_ERROR',
  'DEVELOPER_INITIATED',
  'PRICE_INCREASE',
  'CUSTOMER_SUPPORT',
  'UNKNOWN',
]);

/** `INITIAL_PURCHASE`, `RENEWAL` and `NON_RENEWING_PURCHASE`: a payment if the event has a price. */
export function interpretPurchase(event: Event): Interpretation {
  const price = event.price_in_purchased_currency;
  if (price === null || price === undefined) return noted(event, 'RevenueCat does not know the price of this purchase');
  if (isZero(price)) return noted(event, event.period_type === 'TRIAL' ? 'a trial began' : 'the purchase cost nothing');
  const currency = event.currency ?? '';
  const amounts = amountsOf(price, event.tax_percentage ?? null, currency);
  if (amounts === null) return unknown('The price or its tax_percentage cannot be read');
  if (amounts.grossMinor === 0) return noted(event, 'the purchase cost less than the smallest unit of its currency');
  const invoiceId = paymentKey(event);
  const payment: Fact = {
    kind: 'payment.received',
    references: [invoiceId],
    ...earlierNameOf(event),
    invoiceId,
    ...amounts,
    shippingMinor: 0,
    currency,
    presentment: null,
    // the first payment after a trial is the subscription's first payment
    recurring: event.type === 'RENEWAL' && event.is_trial_conversion !== true,
    customer: customerOf(event),
    discountCodes: discountCodesOf(event),
    occurredAt: Number(event.purchased_at_ms ?? event.event_timestamp_ms),
  };
  return facts([payment, ...identifiedAliases(event)]);
}

/**
 * A refund is a cancellation with a negative price, for whatever reason. RevenueCat gives refunds no id and reports one per
 * transaction, so the transaction's key identifies the refund. Support may also cancel without a refund; the price is then 0.
 */
export function interpretCancellation(event: Event): Interpretation {
  const { cancel_reason: reason, price_in_purchased_currency: price } = event;
  if (price?.startsWith('-') && !isZero(price)) return interpretRefund(event, price.slice(1));
  if (!reason || !CANCEL_REASONS.has(reason)) return unknown(`Unknown cancel_reason ${JSON.stringify(reason)}`);
  if (reason !== 'CUSTOMER_SUPPORT') return noted(event, `the subscription was cancelled: ${reason}`);
  if (price === null || price === undefined) {
    return unknown('Customer support cancelled the purchase, and RevenueCat does not say how much was refunded');
  }
  if (isZero(price)) return noted(event, 'customer support cancelled the purchase and paid nothing back');
  return unknown('Customer support cancelled the purchase, but its price is not negative');
}

function interpretRefund(event: Event, price: string): Interpretation {
  const currency = event.currency ?? '';
  const amountMinor = decimalToMinor(price, currencyExponent(currency) ?? 0);
  if (amountMinor === null) return unknown('The price of the refund cannot be read');
  const key = paymentKey(event);
  return facts([
    {
      kind: 'payment.refunded',
      references: [key],
      ...earlierNameOf(event),
      refund: { refundId: key, amountMinor },
      currency,
      occurredAt: Number(event.event_timestamp_ms),
    },
    ...identifiedBy(event),
  ]);
}

/** Undoes the transaction's whole refund, because RevenueCat does not document what this event's own price means. */
export function interpretRefundReversed(event: Event): Interpretation {
  const key = paymentKey(event);
  return facts([
    {
      kind: 'payment.refund_undone',
      references: [key],
      refundId: key,
      amountMinor: null,
      currency: event.currency ?? null,
      occurredAt: Number(event.event_timestamp_ms),
    },
    ...identifiedBy(event),
  ]);
}

/** RevenueCat gives every payment of a Stripe subscription the id of the subscription or of its item. */
const SUBSCRIPTION_ID = /^(?:si|sub)_/;

/**
 * Each store assigns its own transaction ids. Where the id is that of a subscription, the number of the payment is needed, too
 * (https://www.revenuecat.com/docs/integrations/scheduled-data-exports#handling-updated-transactions-correctly). If an odd event
 * has no transaction id, the event's id identifies the payment.
 */
function paymentKey(event: Event): string {
  const key = transactionKey(event);
  return sharesTransactionId(event) ? `${key}:${event.renewal_number}` : key;
}

function transactionKey({ store, transaction_id: transactionId, id }: Event): string {
  return `${store}:${transactionId ?? id}`;
}

function sharesTransactionId({ transaction_id: transactionId, renewal_number: number }: Event): boolean {
  return SUBSCRIPTION_ID.test(transactionId ?? '') && Number(number ?? 1) > 1;
}

/** Version 0.2.0 left out the number, and stored only the first payment of a subscription that arrived. */
function earlierNameOf(event: Event): { earlierName?: EarlierName } {
  const paidAt = event.purchased_at_ms ?? null;
  if (paidAt === null || !sharesTransactionId(event)) return {};
  return { earlierName: { reference: transactionKey(event), paidAt: Number(paidAt) } };
}

function isZero(decimal: string): boolean {
  return /^-?[0.]+(?:[eE][+-]?\d+)?$/.test(decimal);
}

/** A note about the event, plus the identity of its subscriber. */
export function noted(event: Event, what: string): Interpretation {
  return facts([...identifiedBy(event), { kind: 'noted', what }]);
}
