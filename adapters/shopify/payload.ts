/**
 * The fields read from Shopify's webhook bodies. Numbers arrive as source text (`exact-json.ts`), because ids exceed
 * 2^53. Fields that only hint at a customer are `unknown` and parsed leniently, so that an odd one never costs a sale.
 *
 * Source: https://shopify.dev/docs/api/webhooks and https://shopify.dev/docs/api/admin-rest, version 2026-10.
 */
import { z } from 'zod';
import { withZone } from '../../src/core/time.ts';
import { anything, currency } from '../contract/payload-fields.ts';

const numericId = z.string().regex(/^\d{1,20}$/, 'must be a whole number');
const globalId = z.string().regex(/^gid:\/\/shopify\/\w+\/[\w-]{1,64}$/, 'must be a gid://shopify/… id');
const word = z.string().regex(/^\w{1,64}$/, 'must be a word');
const moment = z
  .string()
  .transform(withZone)
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a date and time');

const money = z.object({ amount: z.string().nullish(), currency_code: currency });
const moneySet = z.object({ shop_money: money, presentment_money: money });
const taxLines = z.array(z.object({ price: z.string() })).nullish();

/** Read only to learn what a refund gave back. An odd entry must not prevent the refund from counting. */
const described = <Shape extends z.ZodRawShape>(shape: Shape) => z.array(z.object(shape)).nullish().catch(null);
const amount = z.string().nullish();

const refundSchema = z.object({
  id: numericId,
  admin_graphql_api_id: globalId.nullish(),
  order_id: numericId,
  created_at: moment,
  processed_at: moment.nullish(),
  transactions: z.array(
    z.object({
      kind: word,
      status: word,
      amount: z.string(),
      currency: currency.nullish(),
      test: z.boolean().nullish(),
    }),
  ),
  refund_line_items: described({
    line_item: anything,
    line_item_id: anything,
    quantity: anything,
    subtotal: amount,
    subtotal_set: moneySet.nullish(),
    total_tax: amount,
    total_tax_set: moneySet.nullish(),
  }),
  order_adjustments: described({
    kind: word.nullish(),
    amount,
    amount_set: moneySet.nullish(),
    tax_amount: amount,
    tax_amount_set: moneySet.nullish(),
  }),
  // since 2024-10 in place of an adjustment, but sent beside it; `shipping_line` is the line in the order
  refund_shipping_lines: described({
    subtotal_amount_set: moneySet.nullish(),
    shipping_line: z
      .object({
        discounted_price: amount,
        discounted_price_set: moneySet.nullish(),
        tax_lines: z.array(z.object({ price: amount, price_set: moneySet.nullish() })).nullish(),
      })
      .nullish()
      .catch(null),
  }),
  total_duties_set: moneySet.nullish().catch(null),
  total_additional_fees_set: moneySet.nullish().catch(null),
  // set where the refund belongs to a return
  return: z.object({}).nullish().catch(null),
});

/** Read only to convert refunds in the shopper's currency. An odd one must not prevent the order from counting. */
const presentedTotal = z
  .object({ presentment_money: z.object({ amount: z.string(), currency_code: currency }) })
  .nullish()
  .catch(null);

const orderSchema = z.object({
  id: numericId,
  admin_graphql_api_id: globalId.nullish(),
  financial_status: word.nullable(),
  cancelled_at: z.string().nullish(),
  created_at: moment,
  processed_at: moment.nullish(),
  updated_at: moment.nullish().catch(null),
  source_name: z.string().nullish(),
  currency,
  taxes_included: z.boolean(),
  duties_included: z.boolean().nullish().catch(null),
  original_total_duties_set: moneySet.nullish().catch(null),
  total_price: z.string(),
  total_price_set: presentedTotal,
  subtotal_price: z.string(),
  total_tax: z.string().nullish(),
  // what remains of the order after edits and refunds
  current_total_price: z.string().nullish(),
  current_total_price_set: presentedTotal,
  current_subtotal_price: z.string().nullish(),
  current_total_tax: z.string().nullish(),
  current_total_duties_set: moneySet.nullish().catch(null),
  line_items: z.array(
    z.object({
      id: anything,
      quantity: anything,
      current_quantity: anything,
      price: anything,
      gift_card: anything,
      discount_allocations: described({ amount: z.string() }),
      tax_lines: taxLines,
      properties: anything,
    }),
  ),
  shipping_lines: z
    .array(
      z.object({
        price: z.string(),
        discounted_price: z.string().nullish(),
        is_removed: z.boolean().nullish(),
        tax_lines: taxLines,
      }),
    )
    .nullish(),
  customer: z
    .object({
      id: numericId,
      admin_graphql_api_id: globalId.nullish(),
      email: anything,
      first_name: anything,
      last_name: anything,
    })
    .nullish()
    .catch(null),
  email: anything,
  contact_email: anything,
  note_attributes: anything,
  landing_site: anything,
  discount_codes: anything,
  discount_applications: anything,
  refunds: z.array(refundSchema).nullish(),
});

const disputeSchema = z.object({
  id: numericId,
  order_id: numericId.nullish(),
  type: word,
  status: word,
  amount: z.string(),
  currency,
  initiated_at: moment,
  finalized_on: moment.nullish(),
});

const billingAttemptSchema = z.object({
  id: numericId,
  admin_graphql_api_id: globalId.nullish(),
  order_id: numericId.nullish(),
  admin_graphql_api_order_id: globalId.nullish(),
  subscription_contract_id: numericId,
  error_code: word.nullish(),
});

const mergeSchema = z.object({
  admin_graphql_api_customer_kept_id: globalId,
  admin_graphql_api_customer_deleted_id: globalId,
  status: word,
});

/**
 * The topic is not signed, and these requests erase data. They therefore require members that no other signed body has,
 * so that a captured body cannot be replayed as an erasure request.
 */
const shopFields = { shop_id: numericId, shop_domain: z.string() };

const redactionSchema = z.object({
  ...shopFields,
  customer: z.object({ id: numericId, email: z.string().nullish() }),
  orders_to_redact: z.array(numericId).max(10_000),
});

const dataRequestSchema = z.object({
  ...shopFields,
  customer: z.object({ id: numericId }),
});

/** The only one of the three requests that names no customer. */
const shopRedactionSchema = z.object({ ...shopFields, customer: z.undefined().optional() });

export const SCHEMAS = {
  any: z.looseObject({}),
  order: orderSchema,
  refund: refundSchema,
  dispute: disputeSchema,
  billingAttempt: billingAttemptSchema,
  merge: mergeSchema,
  redaction: redactionSchema,
  dataRequest: dataRequestSchema,
  shopRedaction: shopRedactionSchema,
} as const;

export type Order = z.output<typeof orderSchema>;
export type Refund = z.output<typeof refundSchema>;
export type Dispute = z.output<typeof disputeSchema>;
export type BillingAttempt = z.output<typeof billingAttemptSchema>;
export type Redaction = z.output<typeof redactionSchema>;
export type DataRequest = z.output<typeof dataRequestSchema>;
export type Merge = z.output<typeof mergeSchema>;

/** Shopify's global id; built from `id` when the body gives only the number. */
export function globalIdOf(
  type: 'Order' | 'Refund' | 'Customer' | 'SubscriptionBillingAttempt',
  id: string,
  given?: string | null,
): string {
  return given?.startsWith(`gid://shopify/${type}/`) ? given : `gid://shopify/${type}/${id}`;
}
