/**
 * Only the members of Lemon Squeezy's webhooks that are read. Amounts are whole numbers "in cents" (`money.ts`), which
 * arrive here as their original text. Source: https://docs.lemonsqueezy.com/api, version 1, and
 * https://docs.lemonsqueezy.com/help/webhooks/webhook-requests.
 */

import { z } from 'zod';
import { anything, currency, isoTime, optionalEmail, optionalText, text } from '../contract/payload-fields.ts';

const amount = z
  .string('must be a whole number')
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number);

/** The payer. An invalid member must not stop a payment from counting. */
const person = {
  customer_id: optionalText,
  user_name: optionalText,
  user_email: optionalEmail,
};

/** Members of both orders and invoices. `total` is after discounts and includes tax, whether or not prices do. */
const money = {
  status: text,
  currency,
  total: amount,
  total_formatted: optionalText,
  tax: amount,
  // older payloads only say whether the payment was fully refunded, some with a number
  refunded: anything,
  refunded_amount: amount.nullish(),
  refunded_amount_formatted: optionalText,
  refunded_at: isoTime.nullish().catch(null),
  created_at: isoTime,
  updated_at: isoTime,
};

/** JSON:API: `data` is a resource object, and `meta` names the event. */
export const deliverySchema = z.object({
  meta: z.object({ event_name: text, test_mode: z.boolean().nullish(), custom_data: anything }),
  data: z.object({
    id: text,
    attributes: z.looseObject({ test_mode: z.boolean().nullish() }),
  }),
});
export type Delivery = z.output<typeof deliverySchema>;

/** https://docs.lemonsqueezy.com/api/orders/the-order-object */
export const orderSchema = z.object({ identifier: text, ...money, ...person });
export type Order = z.output<typeof orderSchema>;

/** https://docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object */
export const invoiceSchema = z.object({
  subscription_id: text,
  billing_reason: text,
  urls: z.object({ invoice_url: z.string().nullish() }).nullish().catch(null),
  ...money,
  ...person,
});
export type Invoice = z.output<typeof invoiceSchema>;

/** https://docs.lemonsqueezy.com/api/subscriptions/the-subscription-object */
export const subscriptionSchema = z.object({ order_id: optionalText, status: text, updated_at: isoTime, ...person });
export type Subscription = z.output<typeof subscriptionSchema>;
