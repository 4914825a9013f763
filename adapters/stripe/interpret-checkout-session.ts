import type { CustomerHints, Fact, Hint, Interpretation } from '../../src/core/facts.ts';
import { notAsDescribed } from '../contract/interpret-as.ts';
import { unknown } from '../contract/interpretations.ts';
import { distinct, readText } from '../contract/readers.ts';
import { customerHints, identified, paidBy, referenced } from './customer-hints.ts';
import { discountCodesOf } from './discount-codes.ts';
import { about, factsOrReason, quoted, type StripeEvent } from './event.ts';
import { type CheckoutSession, checkoutSessionSchema } from './payload.ts';
import { paymentOf, paymentReceived, type StripePayment } from './payment-received.ts';

/**
 * `checkout.session.completed`: by mode
 * - `payment`: a sale if the session is paid, otherwise an announcement. With a delayed payment method,
 *   `checkout.session.async_payment_succeeded` reports the sale; with manual capture, `payment_intent.succeeded` does
 * - `subscription`: the customer's identity and the first invoice's id; `invoice.paid` counts the money
 * - `setup`: the customer's identity
 */
export const sessionCompleted = about(checkoutSessionSchema, (session, event) => {
  const customer = sessionCustomer(session);
  if (session.mode === 'payment') return oneTimePayment(session, customer, event);
  return withoutMoney(session, customer, event);
});

/** `checkout.session.async_payment_succeeded`: a delayed payment method has paid. Ignores the session's status. */
export const asyncPaymentSucceeded = about(checkoutSessionSchema, (session, event) => {
  const customer = sessionCustomer(session);
  if (session.mode === 'payment') return paidSession(session, customer, event);
  return withoutMoney(session, customer, event);
});

/** `checkout.session.async_payment_failed` and `.expired`: no sale, but the session may identify the customer. */
export const sessionFailed = about(checkoutSessionSchema, (session, event) =>
  factsOrReason(
    identified(sessionCustomer(session), event.occurredAt),
    `Session ${session.id} ended without a payment`,
  ),
);

function oneTimePayment(session: CheckoutSession, customer: CustomerHints, event: StripeEvent): Interpretation {
  switch (session.payment_status) {
    case 'paid':
      return paidSession(session, customer, event);
    case 'unpaid':
      return unpaidSession(session, customer, event);
    case 'no_payment_required':
      return factsOrReason(started(session, customer, event), `Session ${session.id} required no payment`);
    default:
      return unknown(`${event.type}: the payment_status ${quoted(session.payment_status)} is not known`);
  }
}

function unpaidSession(session: CheckoutSession, customer: CustomerHints, event: StripeEvent): Interpretation {
  const reason = `Session ${session.id} is complete but not paid yet: its payment method takes time, or it is captured later`;
  const identity = identified(customer, event.occurredAt);
  const payment = paymentIn(session, customer, event);
  if (payment === null) return factsOrReason(identity, reason);
  const received = paymentOf(payment);
  if ('problem' in received) return unknown(`${event.type}: ${received.problem}`);
  return factsOrReason([...identity, { ...received, kind: 'payment.announced' }], reason);
}

function withoutMoney(session: CheckoutSession, customer: CustomerHints, event: StripeEvent): Interpretation {
  const identity = started(session, customer, event);
  switch (session.mode) {
    case 'subscription': {
      const names = firstPayment(session, customer);
      const reason = `Session ${session.id} starts a subscription: its money is counted by invoice.paid`;
      return factsOrReason([...names, ...identity], reason);
    }
    case 'setup':
      return factsOrReason(identity, `Session ${session.id} only saves a payment method`);
    default:
      return unknown(`${event.type}: the mode ${quoted(session.mode)} is not known`);
  }
}

/** Who started something, and by which codes: what is paid later, as after a free trial, names them no more. */
function started(session: CheckoutSession, customer: CustomerHints, event: StripeEvent): Fact[] {
  return identified(customer, event.occurredAt, discountCodesOf(session.discounts));
}

/** Who pays the subscription's first invoice, and by which codes: a webhook's invoice has neither. */
function firstPayment(session: CheckoutSession, customer: CustomerHints): Fact[] {
  const references = distinct([session.invoice, session.payment_intent, session.id]);
  if (references.length === 1) return [];
  const discountCodes = discountCodesOf(session.discounts);
  const [joined] = [...paidBy(customer, references, session.invoice), ...referenced(references, session.invoice)];
  if (joined?.kind !== 'payment.referenced') return [];
  return [discountCodes.length === 0 ? joined : { ...joined, discountCodes }];
}

function paidSession(session: CheckoutSession, customer: CustomerHints, event: StripeEvent): Interpretation {
  if (session.amount_total === 0) {
    return factsOrReason(started(session, customer, event), `Session ${session.id} was free: its total is 0`);
  }
  const payment = paymentIn(session, customer, event);
  if (payment === null) return notAsDescribed(event.type, ['a paid session has no amount_total or no currency']);
  return paymentReceived(event, payment);
}

/** The payment for the session; null when its cost is zero or unknown. */
function paymentIn(session: CheckoutSession, customer: CustomerHints, event: StripeEvent): StripePayment | null {
  const { currency, amount_total: gross, total_details: details } = session;
  if (typeof currency !== 'string' || !gross) return null;
  const tax = details?.amount_tax ?? 0;
  const shipping = shippingOf(session);
  return {
    currency,
    gross,
    net: gross - tax - shipping,
    // Includes the tax on shipping, which `shipping` excludes.
    tax,
    shipping,
    references: sessionReferences(session),
    recurring: false,
    customer,
    discountCodes: discountCodesOf(session.discounts),
    occurredAt: event.occurredAt,
  };
}

/** Excludes the tax on shipping, which Stripe's shipping total may include. */
function shippingOf(session: CheckoutSession): number {
  const { shipping_cost: cost, total_details: details } = session;
  return cost ? cost.amount_total - cost.amount_tax : (details?.amount_shipping ?? 0);
}

function sessionReferences(session: CheckoutSession): [string, ...string[]] {
  const [strongest = session.id, ...others] = distinct([session.invoice, session.payment_intent, session.id]);
  return [strongest, ...others];
}

function sessionCustomer(session: CheckoutSession): CustomerHints {
  return customerHints({
    customer: session.customer,
    customer_account: session.customer_account,
    subscription: session.subscription,
    metadata: [{ place: 'session.metadata', metadata: session.metadata }],
    clickIds: clickIdOf(session.client_reference_id),
    emails: [session.customer_details?.email, session.customer_email],
    names: [session.customer_details?.name],
  });
}

/** Merchants put anything into `client_reference_id`; only a value that starts with `clk_` is a click id. */
function clickIdOf(clientReferenceId: unknown): Hint[] {
  const value = readText(clientReferenceId);
  return value?.startsWith('clk_') ? [{ value, place: 'session.client_reference_id' }] : [];
}
