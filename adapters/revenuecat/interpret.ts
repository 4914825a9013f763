import type { IncomingHttpHeaders } from 'node:http';
import type { Fact, Interpretation } from '../../src/core/facts.ts';
import { currencyExponent, decimalToMinor, parseCurrency } from '../../src/core/money.ts';
import type { InterpretSettings, SignedDelivery } from '../contract/adapter.ts';
import { customerOf, discountCodesOf } from './customer.ts';
import { type Event, payloadSchema } from './payload.ts';
import { amountsOf } from './price.ts';

type Reader = (event: Event) => Interpretation;

/** Stores whose payments a processor's own webhook reports too, and those where nobody pays. */
const STORES_NOT_COUNTED = ['STRIPE', 'PADDLE', 'RC_BILLING', 'PROMOTIONAL', 'TEST_STORE'];

const CANCEL_REASONS = new Set([
  'UNSUBSCRIBE',
  'BILLING_ERROR',
  'DEVELOPER_INITIATED',
  'PRICE_INCREASE',
  'CUSTOMER_SUPPORT',
  'UNKNOWN',
]);

/** The events that concern a purchase: they count only for the right environment and store. */
const PURCHASE_EVENTS: ReadonlyMap<string, Reader> = new Map([
  ['INITIAL_PURCHASE', interpretPurchase],
  ['RENEWAL', interpretPurchase],
  ['NON_RENEWING_PURCHASE', interpretPurchase],
  ['CANCELLATION', interpretCancellation],
  ['REFUND_REVERSED', interpretRefundReversed],
  ['UNCANCELLATION', noting('the subscription was taken up again')],
  ['EXPIRATION', noting('the subscription expired')],
  ['BILLING_ISSUE', noting('the store could not charge for the subscription')],
  ['SUBSCRIPTION_PAUSED', noting('the subscription will pause')],
  ['SUBSCRIPTION_EXTENDED', noting('the subscription was extended')],
]);

/** The events without a purchase, or whose money another event brings. */
const OTHER_EVENTS: ReadonlyMap<string, Reader> = new Map([
  ['TRANSFER', noting('purchases moved from one app user to another; what was earned stays with its partner')],
  ['SUBSCRIBER_ALIAS', noting('an app user id was joined to another')],
  ['TEST', ignoring("A test of RevenueCat's dashboard: the connection works")],
  ['PRODUCT_CHANGE', ignoring('A change of product: the RENEWAL or INITIAL_PURCHASE beside it has the money')],
  ['PURCHASE_REDEEMED', ignoring('A redemption moves no money')],
  ['INVOICE_ISSUANCE', ignoring('An invoice is no payment yet')],
  ['TEMPORARY_ENTITLEMENT_GRANT', ignoring('A grant while the store is out of reach; the purchase follows')],
  ['VIRTUAL_CURRENCY_TRANSACTION', ignoring('Virtual currency is no money')],
  ['EXPERIMENT_ENROLLMENT', ignoring('An experiment moves no money')],
  ['PRICE_INCREASE_CONSENT_REQUIRED', ignoring('Consent to a price moves no money')],
  ['PRICE_INCREASE_CONSENT_UPDATED', ignoring('Consent to a price moves no money')],
]);

/** What a RevenueCat event means. */
export function interpret(
  { payload }: SignedDelivery,
  _headers: IncomingHttpHeaders,
  settings: InterpretSettings,
): Interpretation {
  if (payload === null) return unknown('The body is no JSON object');
  const result = payloadSchema.safeParse(payload);
  if (!result.success) {
    const issue = result.error.issues[0];
    return unknown(`The body is no RevenueCat event: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { event } = result.data;
  const readOther = OTHER_EVENTS.get(event.type);
  if (readOther) return readOther(event);
  if (event.type.startsWith('PAYWALL_')) return { kind: 'ignored', reason: 'A paywall moves no money' };
  const read = PURCHASE_EVENTS.get(event.type);
  if (!read) return unknown(`Event type ${JSON.stringify(event.type)} is not described`);
  return whyNotCounted(event, settings) ?? read(event);
}

function whyNotCounted(event: Event, settings: InterpretSettings): Interpretation | null {
  const { environment, store } = event;
  if (environment !== 'PRODUCTION' && environment !== 'SANDBOX') {
    return unknown(`Environment ${JSON.stringify(environment)} is not described`);
  }
  if (!store) return unknown('The event names no store');
  if (environment === 'SANDBOX' && !settings.acceptTestEvents) {
    return { kind: 'ignored', reason: 'A sandbox purchase; the endpoint does not accept them (acceptTestEvents)' };
  }
  const counted = settings.countStores?.includes(store) ?? !STORES_NOT_COUNTED.includes(store);
  if (!counted) return { kind: 'ignored', reason: `Purchases of store ${store} are not counted (countStores)` };
  if (event.is_family_share) return { kind: 'ignored', reason: 'Family sharing: another family member paid' };
  return null;
}

function interpretPurchase(event: Event): Interpretation {
  const price = event.price_in_purchased_currency;
  if (price === null || price === undefined) return noted(event, 'RevenueCat does not know the price of this purchase');
  if (isZero(price)) return noted(event, event.period_type === 'TRIAL' ? 'a trial began' : 'the purchase cost nothing');
  const currency = parseCurrency(event.currency ?? '');
  if (currency === null) return unknown(`Currency ${JSON.stringify(event.currency)} is not in ISO 4217`);
  const amounts = amountsOf(price, event.tax_percentage ?? null, currency);
  if (amounts === null) return unknown('The price or its tax_percentage cannot be read');
  if (amounts.grossMinor === 0) return noted(event, 'the purchase cost less than the smallest unit of its currency');
  const invoiceId = paymentKey(event);
  const payment: Fact = {
    kind: 'payment.received',
    references: [invoiceId],
    invoiceId,
    ...amounts,
    shippingMinor: 0,
    currency,
    presentment: null,
    // the first payment after a trial is a subscription's first
    recurring: event.type === 'RENEWAL' && event.is_trial_conversion !== true,
    customer: customerOf(event),
    discountCodes: discountCodesOf(event),
    occurredAt: Number(event.purchased_at_ms ?? event.event_timestamp_ms),
  };
  return { kind: 'facts', facts: [payment] };
}

/**
 * A refund is a cancellation with a negative price; RevenueCat gives refunds no id of their own and reports one per
 * transaction, so that the transaction's key is the refund's. Support may also cancel without paying back: price 0.
 */
function interpretCancellation(event: Event): Interpretation {
  const { cancel_reason: reason, price_in_purchased_currency: price } = event;
  if (!reason || !CANCEL_REASONS.has(reason))
    return unknown(`cancel_reason ${JSON.stringify(reason)} is not described`);
  if (price?.startsWith('-') && !isZero(price)) return interpretRefund(event, price.slice(1));
  if (reason !== 'CUSTOMER_SUPPORT') return noted(event, `the subscription was cancelled: ${reason}`);
  if (price === null || price === undefined) {
    return unknown('Customer support cancelled the purchase, and RevenueCat does not say how much was refunded');
  }
  if (isZero(price)) return noted(event, 'customer support cancelled the purchase and paid nothing back');
  return unknown('Customer support cancelled the purchase with a price that is not negative: not described');
}

function interpretRefund(event: Event, price: string): Interpretation {
  const currency = parseCurrency(event.currency ?? '');
  const amountMinor = currency === null ? null : decimalToMinor(price, currencyExponent(currency) ?? 0);
  if (currency === null || amountMinor === null)
    return unknown('The currency or the price of the refund cannot be read');
  const key = paymentKey(event);
  return {
    kind: 'facts',
    facts: [
      {
        kind: 'payment.refunded',
        references: [key],
        refund: { refundId: key, amountMinor },
        currency,
        occurredAt: Number(event.event_timestamp_ms),
      },
    ],
  };
}

/** Undone is the refund of this transaction, whole; what the event's own price counts is not described. */
function interpretRefundReversed(event: Event): Interpretation {
  const currency = parseCurrency(event.currency ?? '');
  if (currency === null) return unknown(`Currency ${JSON.stringify(event.currency)} is not in ISO 4217`);
  const key = paymentKey(event);
  return {
    kind: 'facts',
    facts: [
      {
        kind: 'payment.refund_undone',
        references: [key],
        refundId: key,
        amountMinor: null,
        currency,
        occurredAt: Number(event.event_timestamp_ms),
      },
    ],
  };
}

/** A transaction id is a store's own; where an odd event has none, the event itself names its payment. */
function paymentKey(event: Event): string {
  return `${event.store}:${event.transaction_id ?? event.id}`;
}

function isZero(decimal: string): boolean {
  return /^-?[0.]+(?:[eE][+-]?\d+)?$/.test(decimal);
}

/** Attributes may reach RevenueCat after the purchase did: any later event of the subscriber tells them too. */
function noted(event: Event, what: string): Interpretation {
  const customer = customerOf(event);
  const says = customer.externalIds.length > 0 || customer.clickIds.length > 0 || customer.email !== null;
  const known = customer.processorCustomerId !== null || customer.subscriptionId !== null;
  const identified: Fact[] =
    says && known ? [{ kind: 'customer.identified', customer, occurredAt: Number(event.event_timestamp_ms) }] : [];
  return { kind: 'facts', facts: [...identified, { kind: 'noted', what }] };
}

function noting(what: string): Reader {
  return (event) => noted(event, what);
}

function ignoring(reason: string): Reader {
  return () => ({ kind: 'ignored', reason });
}

function unknown(reason: string): Interpretation {
  return { kind: 'unknown', reason };
}
