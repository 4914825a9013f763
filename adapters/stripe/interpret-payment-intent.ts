import type { CustomerHints, Interpretation } from '../../src/core/facts.ts';
import { distinct } from '../contract/readers.ts';
import { customerHints, identified, referenced } from './customer-hints.ts';
import { about, factsOrReason, type StripeEvent } from './event.ts';
import { type PaymentIntent, paymentIntentSchema } from './payload.ts';
import { paymentReceived } from './payment-received.ts';

/**
 * `payment_intent.succeeded`: Stripe also sends it for every Checkout session and invoice, so it is a sale only if the
 * endpoint counts payment intents, and never if the intent names an invoice, which `invoice.paid` counts.
 */
export const paymentIntentSucceeded = about(paymentIntentSchema, (intent, event, settings) => {
  const customer = intentCustomer(intent);
  if (settings.countPaymentIntents && intent.invoice === null && intent.amount_received > 0) {
    return countedIntent(intent, customer, event);
  }
  const names = intent.invoice === null ? [] : referenced([intent.invoice, ...intentReferences(intent)]);
  const reason = `Payment intent ${intent.id} is not counted by itself: its session or invoice is`;
  return factsOrReason([...names, ...identified(customer, event.occurredAt)], reason);
});

function countedIntent(intent: PaymentIntent, customer: CustomerHints, event: StripeEvent): Interpretation {
  const { amount_received: gross, amount_details: details } = intent;
  const tax = details?.tax?.total_tax_amount ?? 0;
  const shipping = details?.shipping?.amount ?? 0;
  return paymentReceived(event, {
    currency: intent.currency,
    gross,
    net: gross - tax - shipping,
    tax,
    shipping,
    references: intentReferences(intent),
    recurring: false,
    customer,
    discountCodes: [],
    occurredAt: event.occurredAt,
  });
}

function intentReferences(intent: PaymentIntent): [string, ...string[]] {
  const charges = [intent.latest_charge, ...(intent.charges?.data ?? []).map(({ id }) => id)];
  return [intent.id, ...distinct(charges).filter((charge) => charge !== intent.id)];
}

function intentCustomer(intent: PaymentIntent): CustomerHints {
  return customerHints({
    customer: intent.customer,
    customer_account: intent.customer_account,
    metadata: [{ place: 'payment_intent.metadata', metadata: intent.metadata }],
    emails: [intent.receipt_email],
    names: [],
  });
}
