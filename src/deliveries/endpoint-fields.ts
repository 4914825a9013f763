import { z } from 'zod';
import { optional, text, withDefault } from '../app/fields.ts';
import { PROCESSORS, type Processor } from '../core/processor.ts';

const SECRETS_MAX = 10;
const STORES_MAX = 20;

/** Which member belongs to one processor alone. */
const ONLY_FOR = {
  authorization: 'revenuecat',
  countStores: 'revenuecat',
  shopDomain: 'shopify',
  countPaymentIntents: 'stripe',
} as const satisfies Record<string, Processor>;

const secretsField = z
  .array(text())
  .max(SECRETS_MAX, `must have at most ${SECRETS_MAX} secrets`)
  .transform((secrets) => [...new Set(secrets)]);

const shopDomainField = text().transform((value, context) => {
  const domain = value.toLowerCase();
  if (/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(domain)) return domain;
  context.addIssue({ code: 'custom', message: 'must be the domain of the shop, for example "example.myshopify.com"' });
  return '';
});

const storesField = z
  .array(
    text(50)
      .toUpperCase()
      .regex(/^[A-Z][A-Z0-9_]*$/, 'must be a store as RevenueCat names it, for example "APP_STORE"'),
  )
  .min(1, 'must name at least one store; null counts the usual ones')
  .max(STORES_MAX, `must have at most ${STORES_MAX} stores`)
  .transform((stores) => [...new Set(stores)]);

/** An endpoint as it is asked for. Secrets may be left out at first; a member of another processor is refused. */
export const endpointInput = z
  .object({
    processor: z.enum(PROCESSORS, { error: `must be one of ${PROCESSORS.join(', ')}` }),
    secrets: withDefault(secretsField, []),
    authorization: optional(text()),
    shopDomain: optional(shopDomainField),
    acceptTestEvents: withDefault(z.boolean(), false),
    countStores: optional(storesField),
    countPaymentIntents: withDefault(z.boolean(), false),
    programId: optional(text()),
  })
  .superRefine((input, context) => {
    for (const [member, processor] of Object.entries(ONLY_FOR) as [keyof typeof ONLY_FOR, Processor][]) {
      const isSet = input[member] !== null && input[member] !== false;
      if (isSet && input.processor !== processor) {
        context.addIssue({ code: 'custom', path: [member], message: `is for ${processor} endpoints only` });
      }
    }
  });
