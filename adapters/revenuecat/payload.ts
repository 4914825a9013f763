/**
 * The fields that the adapter reads from RevenueCat's events. Numbers arrive as source text (`exact-json.ts`), because
 * prices are JSON doubles. Fields come and go without a version change, so only indispensable ones are required.
 *
 * Source: https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields, api_version 1.0.
 */
import { z } from 'zod';
import { anything, currency } from '../contract/payload-fields.ts';

const milliseconds = z.string().regex(/^\d{1,15}$/, 'must be epoch milliseconds');
const decimal = z.string().max(40);
const word = z.string().regex(/^\w{1,64}$/, 'must be a word');
const id = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be an id');

const eventSchema = z.object({
  id,
  type: z.string().max(64),
  event_timestamp_ms: milliseconds,
  purchased_at_ms: milliseconds.nullish(),
  environment: word.nullish(),
  purchase_environment: word.nullish().catch(null),
  store: word.nullish(),
  is_family_share: z.boolean().nullish(),
  period_type: word.nullish(),
  is_trial_conversion: z.boolean().nullish(),
  cancel_reason: word.nullish(),
  transaction_id: id.nullish(),
  original_transaction_id: anything,
  // 1 for the first payment of a subscription
  renewal_number: z
    .string()
    .regex(/^\d{1,6}$/)
    .nullish()
    .catch(null),
  currency: currency.nullish(),
  price_in_purchased_currency: decimal.nullish(),
  tax_percentage: decimal.nullish(),
  offer_code: anything,
  app_user_id: anything,
  original_app_user_id: anything,
  aliases: anything,
  transferred_from: anything,
  transferred_to: anything,
  redeemed_from: anything,
  redeemed_by: anything,
  // any other may mean that the purchase stays with its buyer
  redemption_outcome: z.enum(['alias', 'transfer', 'redeemer_owns'], 'is not documented').nullish(),
  metadata: anything,
  subscriber_attributes: anything,
});

export const payloadSchema = z.object({ event: eventSchema });

export type Event = z.output<typeof eventSchema>;
