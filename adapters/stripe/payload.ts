/**
 * Only the members of Stripe's payloads that are read. Source: https://docs.stripe.com/api, versions 2020-08-27 to
 * 2026-10-28.endive. An event has the shape of its endpoint's version, so the schemas accept both sides of every
 * change.
 */
import { z } from 'zod';
import { anything } from '../contract/payload-fields.ts';
import { readText } from '../contract/readers.ts';

/** The end of 31 December 9999; larger values are rejected. */
const UNIX_SECONDS_MAX = 253_402_300_799;

const text = z.string().transform((value, context) => readText(value) ?? reject(context, 'is not usable text'));

const unixSeconds = z.int().min(0).max(UNIX_SECONDS_MAX);

/** In Stripe's smallest unit of the currency (money.ts). */
const amount = z.int().min(0);

/** Negative for a credit to the customer. */
const signedAmount = z.int();

/** Any id may be expanded, that is, replaced by its object (https://docs.stripe.com/api/expanding_objects). */
const reference = z
  .unknown()
  .optional()
  .transform((value, context) => {
    if (value === undefined || value === null || value === '') return null;
    const id = typeof value === 'object' && 'id' in value ? value.id : value;
    return (typeof id === 'string' ? readText(id) : null) ?? reject(context, 'must be an id or an expanded object');
  });

/** For hints at who paid: an unusable one is null, so that it never costs a payment. */
const hint = reference.catch(null);

const payer = { customer: hint, customer_account: hint };

/** https://docs.stripe.com/api/events/object */
export const eventSchema = z.object({
  type: text,
  api_version: z.string().nullish().catch(null),
  created: unixSeconds,
  livemode: z.boolean(),
  data: z.object({ object: z.unknown() }),
});
export type Event = z.output<typeof eventSchema>;

/** https://docs.stripe.com/api/checkout/sessions/object */
export const checkoutSessionSchema = z.object({
  id: text,
  mode: z.string(),
  payment_status: z.string(),
  ...payer,
  customer_email: anything,
  customer_details: z.object({ email: anything, name: anything }).nullish().catch(null),
  client_reference_id: anything,
  metadata: anything,
  discounts: anything,
  subscription: hint,
  invoice: reference,
  payment_intent: reference,
  currency: z.string().nullish(),
  amount_total: amount.nullish(),
  total_details: z.object({ amount_tax: amount.nullish(), amount_shipping: amount.nullish() }).nullish(),
  shipping_cost: z.object({ amount_tax: amount, amount_total: amount }).nullish(),
});
export type CheckoutSession = z.output<typeof checkoutSessionSchema>;

const subscriptionDetails = z.object({ subscription: hint, metadata: anything }).nullish().catch(null);
const taxes = z.array(z.object({ amount: signedAmount })).nullish();

/**
 * https://docs.stripe.com/api/invoices/object. Before 2025-03-31.basil: `subscription`, `subscription_details`,
 * `charge`, `payment_intent`, `paid_out_of_band`, `tax`, `total_tax_amounts`, `discount`; since then: `parent`,
 * `payments`, `total_taxes`.
 */
export const invoiceSchema = z.object({
  id: text,
  billing_reason: z.string().nullish().catch(null),
  ...payer,
  customer_email: anything,
  customer_name: anything,
  metadata: anything,
  // odd hints and additional references never cost a sale
  lines: z
    .object({ data: z.array(z.object({ metadata: anything })) })
    .nullish()
    .catch(null),
  parent: z.object({ subscription_details: subscriptionDetails }).nullish().catch(null),
  subscription: hint,
  subscription_details: z.object({ metadata: anything }).nullish().catch(null),
  payment_intent: reference,
  charge: reference,
  payments: z
    .object({ data: z.array(z.object({ payment: z.object({ payment_intent: reference, charge: reference }) })) })
    .nullish()
    .catch(null),
  discount: anything,
  discounts: anything,
  currency: z.string(),
  amount_paid: amount,
  amount_remaining: signedAmount.nullish(),
  paid_out_of_band: z.boolean().nullish().catch(null),
  // above 0: the customer owes it from before
  starting_balance: signedAmount.nullish().catch(null),
  total: signedAmount,
  total_excluding_tax: signedAmount.nullish(),
  total_taxes: taxes,
  total_tax_amounts: taxes,
  tax: signedAmount.nullish(),
  shipping_cost: z.object({ amount_tax: amount.nullish(), amount_total: amount }).nullish(),
  status_transitions: z.object({ paid_at: unixSeconds.nullish() }).nullish().catch(null),
});
export type Invoice = z.output<typeof invoiceSchema>;

/** https://docs.stripe.com/api/invoice-payment/object, since 2025-03-31.basil */
export const invoicePaymentSchema = z.object({
  invoice: reference,
  payment: z.object({ payment_intent: reference, charge: reference }),
});

/** The capture method in the options of a payment method; any other option is not read. */
const captureMethodOf = z
  .object({ capture_method: z.string() })
  .transform((options) => options.capture_method)
  .catch('');

/** https://docs.stripe.com/api/payment_intents/object; `invoice` until 2025-03-31.basil, `charges` until 2022-11-15 */
export const paymentIntentSchema = z.object({
  id: text,
  ...payer,
  receipt_email: anything,
  metadata: anything,
  invoice: reference,
  latest_charge: reference,
  charges: z
    .object({ data: z.array(z.object({ id: text })) })
    .nullish()
    .catch(null),
  // a merchant may write an order number here
  payment_details: z.object({ order_reference: anything }).nullish().catch(null),
  currency: z.string(),
  amount: amount.nullish(),
  amount_received: amount,
  capture_method: z.string().nullish().catch(null),
  payment_method_options: z.record(z.string(), captureMethodOf).nullish().catch(null),
  amount_details: z
    .object({
      shipping: z.object({ amount: amount.nullish() }).nullish(),
      tax: z.object({ total_tax_amount: amount.nullish() }).nullish(),
    })
    .nullish(),
});
export type PaymentIntent = z.output<typeof paymentIntentSchema>;

/** https://docs.stripe.com/api/charges/object; `invoice` until 2025-03-31.basil */
export const chargeSchema = z.object({
  id: text,
  ...payer,
  billing_details: z.object({ email: anything, name: anything }).nullish().catch(null),
  receipt_email: anything,
  metadata: anything,
  payment_intent: reference,
  invoice: reference,
  currency: z.string(),
  amount: amount.nullish(),
  amount_captured: amount.nullish(),
  amount_refunded: amount,
});
export type Charge = z.output<typeof chargeSchema>;

/** https://docs.stripe.com/api/refunds/object */
export const refundSchema = z.object({
  id: text,
  status: z.string(),
  payment_intent: reference,
  charge: reference,
  currency: z.string(),
  amount: amount,
  created: unixSeconds.nullish().catch(null),
});

/**
 * https://docs.stripe.com/api/credit_notes/object; `out_of_band_amount` is null or 0 when Stripe paid everything back.
 * It leaves out refunds of payment records, which exist since 2025-10-29.clover.
 */
export const creditNoteSchema = z.object({
  id: text,
  invoice: reference,
  status: z.string(),
  currency: z.string(),
  out_of_band_amount: amount.nullish(),
  refunds: z.array(z.object({ type: z.string().nullish(), refund: reference, amount_refunded: amount })).nullish(),
});
export type CreditNote = z.output<typeof creditNoteSchema>;

/** https://docs.stripe.com/api/disputes/object; status `prevented` since 2025-09-30.clover */
export const disputeSchema = z.object({
  id: text,
  status: z.string(),
  payment_intent: reference,
  charge: reference,
  currency: z.string(),
  amount: amount,
});
export type Dispute = z.output<typeof disputeSchema>;

/** https://docs.stripe.com/api/customers/object */
export const customerSchema = z.object({ id: text, email: anything, name: anything, metadata: anything });

/** https://docs.stripe.com/api/subscriptions/object */
export const subscriptionSchema = z.object({
  id: text,
  ...payer,
  metadata: anything,
  discount: anything,
  discounts: anything,
  cancel_at_period_end: z.boolean().nullish(),
  cancel_at: unixSeconds.nullish(),
});
export type Subscription = z.output<typeof subscriptionSchema>;

/** https://docs.stripe.com/api/discounts/object; `coupon` until 2025-09-30.clover, then `source.coupon` */
export const discountSchema = z.object({
  ...payer,
  subscription: hint,
  coupon: anything,
  source: anything,
  promotion_code: anything,
});

function reject(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
