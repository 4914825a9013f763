/**
 * Only the members of Polar's webhook payloads that are read. Amounts are integers in Polar's own units (`money.ts`)
 * and arrive as source text. Source: https://polar.sh/docs/api-reference, API version 2026-10.
 */

import { z } from 'zod';
import { anything, currency, isoTime, optionalEmail, optionalText, text } from '../contract/payload-fields.ts';

const amount = z
  .string('must be a whole number')
  .regex(/^-?\d{1,15}$/, 'must be a whole number')
  .transform(Number);

const unsignedAmount = amount.refine((value) => value >= 0, 'must not be negative');

const createdAt = isoTime.nullish().catch(null);

/** Parsed leniently: an odd member must not stop a payment from counting. */
export const personSchema = z.object({
  id: optionalText,
  created_at: createdAt,
  external_id: optionalText,
  email: optionalEmail,
  name: optionalText,
  metadata: anything,
});

const described = z.object({ created_at: createdAt, metadata: anything }).nullish().catch(null);

export const discountSchema = z.object({ id: optionalText, code: optionalText }).nullish().catch(null);

export const eventSchema = z.object({ type: text, timestamp: isoTime.nullish(), data: z.unknown() });

export const customerSchema = personSchema.extend({ id: text });

export const subscriptionSchema = z.object({
  id: text,
  created_at: createdAt,
  customer_id: optionalText,
  customer: personSchema.nullish().catch(null),
  metadata: anything,
  discount: discountSchema,
});

/** The members read from every order event. Amounts are in the schemas below. */
export const orderSchema = z.object({
  id: text,
  created_at: createdAt,
  status: text,
  customer_id: optionalText,
  subscription_id: optionalText,
  metadata: anything,
  subscription: described,
  customer: personSchema.nullish().catch(null),
});

export const paidOrderSchema = orderSchema.extend({
  currency,
  // negative for a credit, as for a downgrade
  net_amount: amount,
  total_amount: amount,
  // Older API versions have no balance, so no balance was applied.
  applied_balance_amount: amount.nullish().transform((value) => value ?? 0),
  billing_reason: optionalText,
  discount: discountSchema,
});

export const refundedOrderSchema = z.object({
  id: text,
  currency,
  refunded_amount: unsignedAmount,
  refunded_tax_amount: unsignedAmount,
});

export const refundSchema = z.object({
  id: text,
  order_id: text,
  status: text,
  reason: optionalText,
  currency,
  amount: unsignedAmount,
  tax_amount: unsignedAmount,
  dispute: z.object({ id: optionalText, status: optionalText }).nullish().catch(null),
  created_at: createdAt,
});
