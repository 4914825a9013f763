// TEMPLATE: declare the members that the adapter reads, and cite each object's documentation page and API version.
/**
 * Only the members of Template's payloads that the adapter reads. Amounts are whole numbers in ISO 4217 minor units and
 * arrive as source text.
 */

import { z } from 'zod';
import { anything, currency, isoTime, optionalEmail, optionalText, text } from '../contract/payload-fields.ts';

const amount = z
  .string('must be a whole number')
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number);

/** Who paid; an odd member must not prevent a payment from counting. */
const person = { email: optionalEmail, name: optionalText, metadata: anything };

export const eventSchema = z.object({ type: text, created_at: isoTime, live: z.boolean(), data: z.unknown() });
export type Event = z.output<typeof eventSchema>;

export const paymentSchema = z.object({
  id: text,
  customer_id: optionalText,
  subscription_id: optionalText,
  is_renewal: z.boolean(),
  currency,
  total: amount,
  tax: amount,
  discount_code: optionalText,
  ...person,
});
export type Payment = z.output<typeof paymentSchema>;

/** A refund or dispute of all or part of a payment. */
export const partSchema = z.object({ id: text, payment_id: text, status: text, currency, amount });
export type Part = z.output<typeof partSchema>;

export const customerSchema = z.object({ id: text, ...person });
export type Customer = z.output<typeof customerSchema>;
