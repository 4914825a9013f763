import type { CustomerHints, Fact, Interpretation } from '../../src/core/facts.ts';
import { distinct } from '../contract/readers.ts';
import { customerHints, identified, paidBy, referenced } from './customer-hints.ts';
import { about, factsOrReason, type StripeEvent, unknown } from './event.ts';
import { type Money, moneyOf } from './money.ts';
import { type PaymentIntent, paymentIntentSchema } from './payload.ts';
import { paymentReceived } from './payment-received.ts';

/**
 * `payment_intent.succeeded`. Stripe also sends it for every Checkout session and invoice. It is therefore a sale only
 * if the endpoint counts payment intents, and never if the intent names an invoice, which `invoice.paid` counts. When
 * it is not counted, it still turns an announced payment into a received one (manual capture), and its metadata may
 * name who paid.
 */
export const paymentIntentSucceeded = about(paymentIntentSchema, (intent, event, settings) => {
  const customer = intentCustomer(intent);
  if (settings.countPaymentIntents && intent.invoice === null && intent.amount_received > 0) {
    return countedIntent(intent, customer, event);
  }
  const payer = paidBy(customer, distinct([intent.invoice, ...intentReferences(intent)]));
  const names =
    intent.invoice === null || payer.length > 0 ? payer : referenced([intent.invoice, ...intentReferences(intent)]);
  const money = moneyOf(intent.amount_received, intent.currency);
  if ('problem' in money) return unknown(`${event.type}: ${money.problem}`);
  const reason = `Payment intent ${intent.id} is not counted by itself: its session or invoice is`;
  return factsOrReason(
    [...names, ...captured(intent, money, event), ...identified(customer, event.occurredAt)],
    reason,
  );
});

/**
 * With manual capture, a Checkout session completes unpaid, and this is the only event of its money. Otherwise a session
 * or an invoice reports the money as well. A payment method may override the capture method of the intent
 * (https://docs.stripe.com/api/checkout/sessions/create, `payment_method_options.card.capture_method`).
 */
function captured(intent: PaymentIntent, money: Exclude<Money, { problem: string }>, event: StripeEvent): Fact[] {
  const isManualForMethod = Object.values(intent.payment_method_options ?? {}).includes('manual');
  const isAutomatic = intent.capture_method?.startsWith('automatic') && !isManualForMethod;
  if (isAutomatic || intent.invoice !== null || money.amountMinor === 0) return [];
  const { amountMinor, unit } = money;
  const { occurredAt } = event;
  const references = intentReferences(intent);
  return [{ kind: 'payment.captured', references, amountMinor, currency: unit.currency, occurredAt }];
}

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
    isBare: true,
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
