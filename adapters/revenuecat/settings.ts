import { z } from 'zod';
import { acceptTestEvents, optional, type SignatureDeclaration, signingSecrets, text } from '../contract/settings.ts';

const STORES_MAX = 20;

const stores = z
  .array(
    text(50)
      .toUpperCase()
      .regex(/^[A-Z][A-Z0-9_]*$/, 'must be a store as RevenueCat names it, for example "APP_STORE"'),
  )
  .min(1, 'must name at least one store; null counts the usual ones')
  .max(STORES_MAX, `must have at most ${STORES_MAX} stores`)
  .transform((names) => [...new Set(names)]);

export const settings = z.object({
  acceptTestEvents,
  countStores: optional(stores).describe('stores whose purchases count'),
});

export const secrets = z.object({
  secrets: signingSecrets,
  authorization: optional(text()).describe('the value of the authorization header'),
});

export const signature: SignatureDeclaration = {
  name: 'RevenueCat',
  header: 'Authorization',
  otherHeader: 'X-RevenueCat-Webhook-Signature',
  description:
    'The authorization value that you chose in its dashboard; where a secret is set, ' +
    'the HMAC-SHA256 in `X-RevenueCat-Webhook-Signature` as well.',
  fixture: 'INITIAL_PURCHASE',
};

export type Settings = z.output<typeof settings>;
export type Secrets = z.output<typeof secrets>;
