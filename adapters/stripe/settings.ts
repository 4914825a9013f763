import { z } from 'zod';
import {
  acceptTestEvents,
  accessTokenButNo,
  apiUrl,
  type SignatureDeclaration,
  signingSecretsButNo,
  withDefault,
} from '../contract/settings.ts';

export const settings = z.object({
  acceptTestEvents,
  apiUrl,
  countPaymentIntents: withDefault(z.boolean(), false).describe(
    'count a payment without a checkout or invoice as a sale',
  ),
});

/** Secret, restricted and publishable keys (https://docs.stripe.com/keys). */
const API_KEY = /^[spr]k_(?:live|test)_/;

/** Signing secrets and publishable keys. */
const SIGNING_SECRET = /^(?:whsec|pk)_/;

export const secrets = z.object({
  secrets: signingSecretsButNo(API_KEY, 'the signing secret of the destination (whsec_…)'),
  accessToken: accessTokenButNo(SIGNING_SECRET, 'a restricted key (rk_live_…)'),
});

export const apiHosts = ['api.stripe.com'];

export const signature: SignatureDeclaration = {
  name: 'Stripe',
  header: 'Stripe-Signature',
  description: 'A timestamp and an HMAC-SHA256 over timestamp and body, with the signing secret (`whsec_…`).',
  fixture: 'invoice.paid--renewal',
};

export type Settings = z.output<typeof settings>;
