/**
 * The members of Polar's webhook payloads that are read, and nothing else. Amounts are whole numbers in Polar's way of
 * counting (`money.ts`), here as the text they were written in. Source: https://polar.sh/docs/api-reference, API version 2026-10.
 */

import { z } from 'zod';
import { AMOUNT_MAX, parseCurrency } from '../../src/core/money.ts';
import { readEmail, readText } from '../contract/readers.ts';
import { isCountable } from './money.ts';

const optionalText = z.unknown().optional().transform(readText);
const text = optionalText.pipe(z.string('must be text'));
const time = z.iso
  .datetime({ offset: true, error: 'must be a time of ISO 8601' })
  .transform((value) => Date.parse(value));
const metadata = z.unknown().optional();

/** Each check aborts: what is computed from several amounts is only asked of amounts. */
const amount = z
  .string('must be a whole number')
  .regex(/^-?\d{1,15}$/, { error: 'must be a whole number', abort: true })
  .transform(Number)
  .refine((value) => Math.abs(value) <= AMOUNT_MAX, { error: `must be at most ${AMOUNT_MAX}`, abort: true });

const unsignedAmount = amount.refine((value) => value >= 0, { error: 'must not be negative', abort: true });

const currency = z.string('must be a currency code').transform((value, context) => {
  const code = parseCurrency(value);
  if (code !== null) return code;
  context.addIssue({ code: 'custom', message: 'is no currency of ISO 4217' });
  return z.NEVER;
});

/** Who it is: an odd member must not stop a payment from counting. */
export const personSchema = z.object({
  id: optionalText,
  external_id: optionalText,
  email: z.unknown().optional().transform(readEmail),
  name: optionalText,
  metadata,
});

const tooLarge = { path: ['currency'], message: 'makes the amounts too large to count' };

const described = z.object({ metadata }).nullish().catch(null);

export const eventSchema = z.object({ type: text, timestamp: time, data: z.unknown() });

export const customerSchema = personSchema.extend({ id: text });

export const subscriptionSchema = z.object({
  id: text,
  customer_id: optionalText,
  customer: personSchema.nullish().catch(null),
  metadata,
});

/** Without its amounts: what every event of an order tells of the payer. */
export const orderSchema = z.object({
  id: text,
  status: text,
  customer_id: optionalText,
  subscription_id: optionalText,
  metadata,
  subscription: described,
  customer: personSchema.nullish().catch(null),
});

export const paidOrderSchema = orderSchema
  .extend({
    currency,
    net_amount: unsignedAmount,
    total_amount: unsignedAmount,
    // Older API versions know no balance: nothing was applied.
    applied_balance_amount: amount.optional().transform((value) => value ?? 0),
    billing_reason: optionalText,
    discount: z.object({ id: optionalText, code: optionalText }).nullish().catch(null),
  })
  .refine(
    ({ currency, total_amount: total, applied_balance_amount: applied }) =>
      isCountable(Math.max(0, total, total + applied), currency),
    tooLarge,
  );

export const refundedOrderSchema = z
  .object({
    id: text,
    currency,
    refunded_amount: unsignedAmount,
    refunded_tax_amount: unsignedAmount,
  })
  .refine(({ currency, refunded_amount: net, refunded_tax_amount: tax }) => isCountable(net + tax, currency), tooLarge);

export const refundSchema = z
  .object({
    id: text,
    order_id: text,
    status: text,
    reason: optionalText,
    currency,
    amount: unsignedAmount,
    tax_amount: unsignedAmount,
    dispute: z.object({ id: optionalText, status: optionalText }).nullish().catch(null),
  })
  .refine(({ currency, amount: net, tax_amount: tax }) => isCountable(net + tax, currency), tooLarge);
