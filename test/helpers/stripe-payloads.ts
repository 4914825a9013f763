import { unique } from './story.ts';

interface Paid {
  externalId?: string | null;
  customer?: string | null;
  subscription?: string | null;
  amount?: number;
  tax?: number;
  currency?: string;
  invoice?: string;
  paymentIntent?: string;
}

const CREATED = Math.floor(Date.now() / 1000) - 60;

export function stripeEvent<Shape extends object>(type: string, object: Shape) {
  return {
    id: unique('evt'),
    object: 'event',
    api_version: '2026-10-28.endive',
    created: CREATED,
    livemode: true,
    type,
    data: { object },
  };
}

/** A one-time purchase through Checkout. */
export function checkoutCompleted({ externalId = null, customer = null, amount = 5000, tax = 0, ...paid }: Paid) {
  return stripeEvent('checkout.session.completed', {
    id: unique('cs'),
    object: 'checkout.session',
    mode: 'payment',
    payment_status: 'paid',
    status: 'complete',
    amount_total: amount,
    total_details: { amount_tax: tax, amount_shipping: 0, amount_discount: 0 },
    currency: paid.currency ?? 'usd',
    customer,
    customer_details: { email: 'mia@example.com', name: 'Mia Example' },
    payment_intent: paid.paymentIntent ?? unique('pi'),
    invoice: paid.invoice ?? null,
    metadata: externalId === null ? {} : { svcCustomerExternalId: externalId },
  });
}

/** A finished Checkout whose payment arrives later. */
export function checkoutUnpaid({ externalId = null, amount = 5000, ...paid }: Paid) {
  const event = checkoutCompleted({ externalId, amount, ...paid });
  const object = { ...event.data.object, payment_status: 'unpaid', customer_details: null };
  return { ...event, data: { object } };
}

/** The money of a payment that was captured by hand. Says nothing about its customer. */
export function paymentCaptured(paymentIntent: string, amount = 5000) {
  return stripeEvent('payment_intent.succeeded', {
    id: paymentIntent,
    object: 'payment_intent',
    status: 'succeeded',
    amount,
    amount_received: amount,
    capture_method: 'manual',
    currency: 'usd',
    customer: null,
    metadata: {},
  });
}

/** A paid invoice of a subscription, in the shape since 2025-03-31. */
export function invoicePaid({ externalId = null, customer = null, subscription = null, amount = 2000, ...paid }: Paid) {
  const metadata = externalId === null ? {} : { svcCustomerExternalId: externalId };
  return stripeEvent('invoice.paid', {
    id: paid.invoice ?? unique('in'),
    object: 'invoice',
    status: 'paid',
    billing_reason: 'subscription_cycle',
    amount_paid: amount,
    total: amount,
    total_excluding_tax: amount - (paid.tax ?? 0),
    total_taxes: paid.tax ? [{ amount: paid.tax }] : [],
    currency: paid.currency ?? 'usd',
    customer,
    customer_email: null,
    customer_name: null,
    metadata: {},
    lines: { data: [] },
    parent:
      subscription === null ? null : { type: 'subscription_details', subscription_details: { subscription, metadata } },
    status_transitions: { paid_at: CREATED },
  });
}

/** Which payment intent paid which invoice. */
export function invoicePaymentPaid(invoice: string, paymentIntent: string) {
  return stripeEvent('invoice_payment.paid', {
    id: unique('inpay'),
    object: 'invoice_payment',
    invoice,
    status: 'paid',
    payment: { type: 'payment_intent', payment_intent: paymentIntent },
  });
}

/** The cumulative refund of a charge. */
export function chargeRefunded(paymentIntent: string, amount: number, refunded: number, currency = 'usd') {
  return stripeEvent('charge.refunded', {
    id: unique('ch'),
    object: 'charge',
    amount,
    amount_refunded: refunded,
    refunded: refunded === amount,
    currency,
    payment_intent: paymentIntent,
    customer: null,
    metadata: {},
  });
}

/** A Stripe customer with the caller's own id in its metadata. */
export function customerUpdated(customer: string, externalId: string, email: string | null = null) {
  return stripeEvent('customer.updated', {
    id: customer,
    object: 'customer',
    email,
    name: null,
    metadata: { svcCustomerExternalId: externalId },
  });
}

/** One refund by its id; it fails a minute after it began. */
export function refundOf(paymentIntent: string, refund: string, amount: number, status: 'succeeded' | 'failed') {
  const event = stripeEvent(status === 'failed' ? 'refund.failed' : 'refund.created', {
    id: refund,
    object: 'refund',
    amount,
    currency: 'usd',
    payment_intent: paymentIntent,
    charge: null,
    status,
  });
  // Stripe reports a failure later
  return status === 'failed' ? { ...event, created: event.created + 60 } : event;
}

/** A dispute that needs evidence. */
export function disputeOf(paymentIntent: string, dispute: string, amount: number) {
  return stripeEvent('charge.dispute.created', {
    id: dispute,
    object: 'dispute',
    amount,
    currency: 'usd',
    payment_intent: paymentIntent,
    charge: null,
    status: 'needs_response',
  });
}
