import type { IncomingHttpHeaders } from 'node:http';
import type { Interpretation } from '../../src/core/facts.ts';
import type { InterpretSettings, SignedDelivery } from '../contract/adapter.ts';
import { readField } from '../contract/readers.ts';
import { chargeRefunded, chargeSucceeded } from './charge.ts';
import { asyncPaymentSucceeded, sessionCompleted, sessionFailed } from './checkout-session.ts';
import { disputeByStatus, disputeReinstated, disputeUpdated, disputeWithdrawn } from './dispute.ts';
import { type Interpreter, problemOf, quoted, unknown } from './event.ts';
import { invoicePaid, invoicePaymentPaid } from './invoice.ts';
import { eventSchema } from './payload.ts';
import { paymentIntentSucceeded } from './payment-intent.ts';
import { refundChanged } from './refund.ts';
import { customerChanged, subscriptionChanged } from './subscription.ts';
import { isUnreadType } from './unread-types.ts';

/** https://docs.stripe.com/api/events/types: every type that is read. */
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
  ['customer.created', customerChanged],
  ['customer.updated', customerChanged],
  ['customer.subscription.created', subscriptionChanged],
  ['customer.subscription.updated', subscriptionChanged],
  ['customer.subscription.deleted', subscriptionChanged],
  ['customer.subscription.paused', subscriptionChanged],
  ['customer.subscription.resumed', subscriptionChanged],
  ['customer.subscription.trial_will_end', subscriptionChanged],
]);

/**
 * What an event of Stripe means, by its type; `ignored` for thin events, test events that are not wanted and types that
 * are known to say nothing of sales; `unknown` for any other type, status, currency or shape, with a reason that names it.
 */
export function interpret(
  delivery: SignedDelivery,
  _headers: IncomingHttpHeaders,
  settings: InterpretSettings,
): Interpretation {
  const { payload } = delivery;
  if (payload === null) return unknown('The body is no JSON object');
  if (readField(payload, 'object') === 'v2.core.event') {
    return { kind: 'ignored', reason: 'A thin event carries no data: choose the payload style "snapshot" in Stripe' };
  }
  const envelope = eventSchema.safeParse(payload);
  if (!envelope.success) return unknown(`The body is no event of Stripe: ${problemOf(envelope.error)}`);
  const { type, created, livemode, data } = envelope.data;
  if (!livemode && !settings.acceptTestEvents) {
    return { kind: 'ignored', reason: 'A test event (livemode false), and this endpoint does not accept them' };
  }
  const interpreter = INTERPRETERS.get(type);
  if (interpreter) return interpreter({ type, occurredAt: created * 1000, object: data.object }, settings);
  if (isUnreadType(type)) return { kind: 'ignored', reason: `${type} is known and moves no money of a customer` };
  return unknown(`The event type ${quoted(type)} is not known`);
}
