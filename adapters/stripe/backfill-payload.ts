/**
 * Only the members of Stripe's records of which events are made; interpreting the events checks the rest. Where an object is
 * requested in place of an id, an id does not match. Source: https://docs.stripe.com/api, version 2026-10-28.endive.
 */
import { z } from 'zod';
import { paymentIntentSchema } from './payload.ts';

const seconds = z.int().min(0);
const ofMode = { livemode: z.boolean() };

/** Its `created` is when a payment succeeded or was captured, a refund failed, or a dispute took or gave back the money. */
const balanceTransaction = z.looseObject({ id: z.string(), created: seconds, amount: z.int(), currency: z.string() });

const charge = z.looseObject({ id: z.string(), created: seconds, balance_transaction: balanceTransaction.nullish() });
export type PaidCharge = z.output<typeof charge>;

const { capture_method, payment_method_options } = paymentIntentSchema.shape;

/** https://docs.stripe.com/api/checkout/sessions/object */
export const listedSession = z.object({
  ...ofMode,
  expires_at: seconds.nullish(),
  payment_intent: z
    .object({ id: z.string(), latest_charge: charge.nullish(), capture_method, payment_method_options })
    .nullish(),
});

/** https://docs.stripe.com/api/invoices/object and https://docs.stripe.com/api/invoice-payment/object */
export const listedPaid = z.object({
  ...ofMode,
  status_transitions: z.object({ paid_at: seconds.nullish() }).nullish(),
});

/** https://docs.stripe.com/api/payment_intents/object */
export const listedIntent = z.object({ ...ofMode, latest_charge: charge.nullish() });

const refundedCharge = charge.extend({
  ...ofMode,
  amount: z.int(),
  amount_captured: z.int().nullish(),
  currency: z.string(),
});
export type RefundedCharge = z.output<typeof refundedCharge>;

/** https://docs.stripe.com/api/refunds/object */
export const listedRefund = z.object({
  charge: refundedCharge.nullish(),
  payment_intent: z.object({ ...ofMode, id: z.string() }).nullish(),
  failure_balance_transaction: balanceTransaction.nullish(),
});

/** https://docs.stripe.com/api/disputes/object */
export const listedDispute = z.object({
  ...ofMode,
  balance_transactions: z.array(z.object({ created: seconds.nullish() })).nullish(),
});

/** https://docs.stripe.com/api/credit_notes/object */
export const listedCreditNote = z.object({ ...ofMode, voided_at: seconds.nullish() });
