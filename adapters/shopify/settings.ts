import { z } from 'zod';
import {
  acceptTestEvents,
  accessTokenButNo,
  apiUrl,
  optional,
  type SignatureDeclaration,
  signingSecretsButNo,
  text,
} from '../contract/settings.ts';

const shopDomain = text().transform((value, context) => {
  const domain = value.toLowerCase();
  if (/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(domain)) return domain;
  context.addIssue({ code: 'custom', message: 'must be the domain of the shop, for example "example.myshopify.com"' });
  return '';
});

export const settings = z.object({
  acceptTestEvents,
  apiUrl,
  shopDomain: optional(shopDomain).describe('the shop that deliveries must come from, such as example.myshopify.com'),
});

/** Access tokens (https://shopify.dev/changelog/length-of-the-shopify-access-token-is-increasing); `shpss_` is a secret. */
const API_KEY = /^shp(?:at|ca|pa)_/;

/** Client secrets of apps. */
const SIGNING_SECRET = /^shpss_/;

export const secrets = z.object({
  secrets: signingSecretsButNo(API_KEY, 'the client secret of the app or the secret below the list of webhooks'),
  accessToken: accessTokenButNo(SIGNING_SECRET, 'the access token of the app (shpat_…)'),
});

export const signature: SignatureDeclaration = {
  name: 'Shopify',
  header: 'X-Shopify-Hmac-SHA256',
  description: 'An HMAC-SHA256 over the body in base64, with the client secret of the app or the secret of the shop.',
  fixture: 'orders_paid',
};

export type Settings = z.output<typeof settings>;
export type Secrets = z.output<typeof secrets>;
