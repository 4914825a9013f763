/**
 * The members of Paddle Billing's notifications that are read, and nothing else. Amounts are text, in minor units of
 * ISO 4217. Source: https://developer.paddle.com/webhooks, API version 1.
 */

import { z } from 'zod';
import { AMOUNT_MAX, parseCurrency } from '../../src/core/money.ts';
import { readEmail, readText } from '../contract/readers.ts';

const optionalText = z.unknown().optional().transform(readText);
const text = optionalText.pipe(z.string('must be text'));
const time = z.iso
  .datetime({ offset: true, error: 'must be a time of ISO 8601' })
  .transform((value) => Date.parse(value));
const customData = z.unknown().optional();

/** Never through a float; proration and adjustments may be negative. */
const amount = z
  .string('must be an amount as text')
  .regex(/^-?\d{1,15}$/, 'must be a whole number as text')
  .transform((digits) => Number(BigInt(digits)))
  .refine((value) => Math.abs(value) <= AMOUNT_MAX, `must be at most ${AMOUNT_MAX}`);

const currency = z.string('must be a currency code').transform((value, context) => {
  const code = parseCurrency(value);
  if (code !== null) return code;
  context.addIssue({ code: 'custom', message: 'is no currency of ISO 4217' });
  return z.NEVER;
});

/** Only looked at for metadata: an odd one must not stop a payment from counting. */
const items = z.array(z.object({ price: z.object({ custom_data: customData }).nullish() })).catch([]);

export const notificationSchema = z.object({
  event_id: optionalText,
  event_type: text,
  occurred_at: time,
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
  custom_data: customData,
  items,
  details: z.object({
    totals: z.object({ subtotal: amount, discount: amount, total: amount, grand_total: amount }),
  }),
  payments: z.array(z.object({ status: optionalText, captured_at: time.nullish().catch(null) })).catch([]),
});

export const adjustmentSchema = z.object({
  id: text,
  transaction_id: text,
  action: text,
  status: text,
  currency_code: currency,
  totals: z.object({ total: amount }),
});

export const customerSchema = z.object({
  id: text,
  email: z.unknown().optional().transform(readEmail),
  name: optionalText,
  custom_data: customData,
});

export const subscriptionSchema = z.object({
  id: text,
  customer_id: optionalText,
  custom_data: customData,
  items,
  scheduled_change: z.object({ action: optionalText }).nullish().catch(null),
});

export type Transaction = z.output<typeof transactionSchema>;
export type Items = z.output<typeof items>;
