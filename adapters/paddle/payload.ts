/**
 * Only the members of Paddle Billing's notifications that the adapter reads. Amounts are text in ISO 4217 minor units.
 * Source: https://developer.paddle.com/webhooks, API version 1.
 */

import { z } from 'zod';
import { anything, currency, isoTime, optionalEmail, optionalText, text } from '../contract/payload-fields.ts';

/** Never parsed as a float. Proration and adjustments may be negative. */
const amount = z
  .string('must be an amount as text')
  .regex(/^-?\d{1,15}$/, 'must be a whole number as text')
  .transform((digits) => Number(BigInt(digits)));

/** Read only for metadata, so an odd item must not prevent the payment from counting. */
const items = z.array(z.object({ price: z.object({ custom_data: anything }).nullish() })).catch([]);

export const notificationSchema = z.object({
  event_id: optionalText,
  event_type: text,
  occurred_at: isoTime,
  data: z.unknown(),
});

export const transactionSchema = z.object({
  id: text,
  origin: optionalText,
  customer_id: optionalText,
  subscription_id: optionalText,
  invoice_id: optionalText,
  discount_id: optionalText,
  currency_code: currency,
  custom_data: anything,
  items,
  details: z.object({
    totals: z.object({
      subtotal: amount,
      discount: amount,
      tax: amount.nullish().catch(null),
      total: amount,
      grand_total: amount,
    }),
  }),
  payments: z.array(z.object({ status: optionalText, captured_at: isoTime.nullish().catch(null) })).catch([]),
});

export const adjustmentSchema = z.object({
  id: text,
  transaction_id: text,
  action: text,
  status: text,
  currency_code: currency,
  // the earliest notifications have no subtotal
  totals: z.object({ total: amount, subtotal: amount.nullish() }),
  created_at: isoTime.nullish().catch(null),
});

export const customerSchema = z.object({
  id: text,
  email: optionalEmail,
  name: optionalText,
  custom_data: anything,
});

export const subscriptionSchema = z.object({
  id: text,
  customer_id: optionalText,
  custom_data: anything,
  items,
  discount: z.object({ id: optionalText }).nullish().catch(null),
  scheduled_change: z.object({ action: optionalText }).nullish().catch(null),
});

export type Transaction = z.output<typeof transactionSchema>;
export type Items = z.output<typeof items>;
