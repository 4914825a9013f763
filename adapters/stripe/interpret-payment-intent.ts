import type { CustomerHints, Fact, Interpretation } from '../../src/core/facts.ts';
import { multiplyRatio } from '../../src/core/money.ts';
import { unknown } from '../contract/interpretations.ts';
import { distinct, readText } from '../contract/readers.ts';
import { customerHints, identified, paidBy, referenced } from './customer-hints.ts';
import { about, factsOrReason, type StripeEvent } from './event.ts';
import { type Money, moneyOf } from './money.ts';
import { type PaymentIntent, paymentIntentSchema } from './payload.ts';
import { paymentReceived } from './payment-received.ts';

/** Longer than the order numbers that a merchant may write in the same place. */
const INVOICE_ID = /^in_1[0-9A-Za-z]{14,}$/;
const SESSION_ID = /^cs_(?:live|test)_[0-9A-Za-z]{14,}$/;

/**
 * `payment_intent.succeeded`. Stripe also sends it for every Checkout session and invoice. It is therefore a sale only
 * if the endpoint counts payment intents, and never if the intent names an invoice, which `invoice.paid` counts. When
 * it is not counted, it still turns an announced payment into a received one (manual capture), and its metadata may
 * name who paid.
 */
export const paymentIntentSucceeded = about(paymentIntentSchema, (intent, event, settings) => {
  const customer = intentCustomer(intent);
  const invoice = invoiceOf(intent);
  if (settings.countPaymentIntents && invoice === null && intent.amount_received > 0) {
    return countedIntent(intent, customer, event);
  }
  const references = distinct([invoice, ...intentReferences(intent)]);
  const payer = paidBy(customer, references, invoice);
  const isNamed = invoice !== null || sessionOf(intent) !== null;
  const names = isNamed && payer.length === 0 ? referenced(references, invoice) : payer;
  const money = moneyOf(intent.amount_received, intent.currency);
  if ('problem' in money) return unknown(`${event.type}: ${money.problem}`);
  const advice =
    isNamed || settings.countPaymentIntents ? '' : '. If it has neither, set countPaymentIntents on the endpoint';
  const reason = `Payment intent ${intent.id} is not counted by itself: its session or invoice is${advice}`;
  return factsOrReason(
    [...names, ...captured(intent, money, event), ...identified(customer, event.occurredAt)],
    reason,
  );
});

/**
 * With manual capture, a Checkout session completes unpaid, and this is the only event of its money. Otherwise a session
 * or an invoice reports the money as well.
 */
function captured(intent: PaymentIntent, money: Exclude<Money, { problem: string }>, event: StripeEvent): Fact[] {
  if (!isCapturedByHand(intent) || invoiceOf(intent) !== null || money.amountMinor === 0) return [];
  const { amountMinor, unit } = money;
  const { occurredAt } = event;
  const references = intentReferences(intent);
  return [{ kind: 'payment.captured', references, amountMinor, currency: unit.currency, occurredAt }];
}

/**
 * True unless the capture is automatic. A payment method may override the capture method of the intent
 * (https://docs.stripe.com/api/checkout/sessions/create, `payment_method_options.card.capture_method`).
 */
export function isCapturedByHand(intent: Pick<PaymentIntent, 'capture_method' | 'payment_method_options'>): boolean {
  const isManualForMethod = Object.values(intent.payment_method_options ?? {}).includes('manual');
  return isManualForMethod || !intent.capture_method?.startsWith('automatic');
}

function countedIntent(intent: PaymentIntent, customer: CustomerHints, event: StripeEvent): Interpretation {
  const { amount_received: gross, amount_details: details } = intent;
  const stated = { tax: details?.tax?.total_tax_amount ?? 0, shipping: details?.shipping?.amount ?? 0 };
  // tax and shipping of more than was captured are those of the whole amount
  const whole = stated.tax + stated.shipping > gross ? Math.max(gross, intent.amount ?? 0) : gross;
  const tax = multiplyRatio(stated.tax, gross, whole);
  const shipping = multiplyRatio(stated.shipping, gross, whole);
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
  return [intent.id, ...distinct([...charges, sessionOf(intent)]).filter((reference) => reference !== intent.id)];
}

/**
 * The invoice that the intent paid. Without the member `invoice`, Stripe writes its id where a merchant may write an order
 * number, although only the latter is documented.
 */
function invoiceOf(intent: PaymentIntent): string | null {
  return intent.invoice ?? orderLike(INVOICE_ID, intent);
}

/** The Checkout session of the intent, in the same place. */
function sessionOf(intent: PaymentIntent): string | null {
  return orderLike(SESSION_ID, intent);
}

function orderLike(id: RegExp, { payment_details: details }: PaymentIntent): string | null {
  const order = readText(details?.order_reference);
  return order !== null && id.test(order) ? order : null;
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
