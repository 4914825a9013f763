import type { IncomingHttpHeaders } from 'node:http';
import type { Interpretation } from '../../src/core/facts.ts';
import type { SignedDelivery } from '../contract/adapter.ts';
import { interpretAs } from '../contract/interpret-as.ts';
import { ignored, unknown } from '../contract/interpretations.ts';
import { readField } from '../contract/readers.ts';
import { type Interpreter, quoted } from './event.ts';
import { chargeRefunded, chargeSucceeded } from './interpret-charge.ts';
import { asyncPaymentSucceeded, sessionCompleted, sessionFailed } from './interpret-checkout-session.ts';
import { creditNoteChanged } from './interpret-credit-note.ts';
import { disputeByStatus, disputeReinstated, disputeUpdated, disputeWithdrawn } from './interpret-dispute.ts';
import { invoicePaid, invoicePaymentPaid } from './interpret-invoice.ts';
import { paymentIntentSucceeded } from './interpret-payment-intent.ts';
import { refundChanged } from './interpret-refund.ts';
import { customerChanged, discountGiven, subscriptionChanged } from './interpret-subscription.ts';
import { type Event, eventSchema } from './payload.ts';
import type { Settings } from './settings.ts';
import { isUnreadType } from './unread-types.ts';

/** Every event type that is read. Source: https://docs.stripe.com/api/events/types */
const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map([
  ['checkout.session.completed', sessionCompleted],
  ['checkout.session.async_payment_succeeded', asyncPaymentSucceeded],
  ['checkout.session.async_payment_failed', sessionFailed],
  ['checkout.session.expired', sessionFailed],
  ['invoice.paid', invoicePaid],
  ['invoice.payment_succeeded', invoicePaid],
  ['invoice_payment.paid', invoicePaymentPaid],
  ['payment_intent.succeeded', paymentIntentSucceeded],
  ['charge.succeeded', chargeSucceeded],
  ['charge.refunded', chargeRefunded],
  ['charge.refund.updated', refundChanged],
  ['refund.created', refundChanged],
  ['refund.updated', refundChanged],
  ['refund.failed', refundChanged],
  ['charge.dispute.created', disputeByStatus],
  ['charge.dispute.updated', disputeUpdated],
  ['charge.dispute.funds_withdrawn', disputeWithdrawn],
  ['charge.dispute.funds_reinstated', disputeReinstated],
  ['charge.dispute.closed', disputeByStatus],
  ['credit_note.created', creditNoteChanged],
  ['credit_note.voided', creditNoteChanged],
  ['customer.created', customerChanged],
  ['customer.updated', customerChanged],
  ['customer.discount.created', discountGiven],
  ['customer.discount.updated', discountGiven],
  ['customer.subscription.created', subscriptionChanged],
  ['customer.subscription.updated', subscriptionChanged],
  ['customer.subscription.deleted', subscriptionChanged],
  ['customer.subscription.paused', subscriptionChanged],
  ['customer.subscription.resumed', subscriptionChanged],
  ['customer.subscription.trial_will_end', subscriptionChanged],
]);

/**
 * Interprets a Stripe event by its type. Returns `ignored` for thin events, test events that the endpoint does not
 * accept and known types that do not concern sales; `unknown`, with a reason that names it, for any other type, status,
 * currency or shape.
 */
export function interpret(delivery: SignedDelivery, _headers: IncomingHttpHeaders, settings: Settings): Interpretation {
  const { payload } = delivery;
  if (readField(payload, 'object') === 'v2.core.event') {
    return ignored('A thin event carries no data: choose the payload style "snapshot" in Stripe');
  }
  return interpretAs('The body', eventSchema, payload, (event) => interpretEvent(event, settings));
}

function interpretEvent(
  { type, api_version: version, created, livemode, data }: Event,
  settings: Settings,
): Interpretation {
  if (!livemode && !settings.acceptTestEvents) {
    return ignored('A test event (livemode false), and this endpoint does not accept them');
  }
  const interpreter = INTERPRETERS.get(type);
  const isBeforeBasil = typeof version === 'string' && version < '2025-03-31';
  if (interpreter)
    return interpreter({ type, occurredAt: created * 1000, isBeforeBasil, object: data.object }, settings);
  if (isUnreadType(type)) return ignored(`${type} is known and moves no money of a customer`);
  return unknown(`The event type ${quoted(type)} is not known`);
}
