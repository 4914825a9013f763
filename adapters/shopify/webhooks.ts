import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Shopify, shopifyApi } from '@shopify/shopify-api';

type Configuration = Parameters<typeof shopifyApi>[0];
type Validate = Shopify['webhooks']['validate'];
/** Creates the check of webhooks that are signed with this secret. */
type ValidatorFor = (secret: string) => Validate;

/** A value of `ApiVersion`, which is an enumeration: reading it from the package would load the package. */
const API_VERSION = '2026-10' as Configuration['apiVersion'];

/** What a webhook has besides its signature. */
const HEADERS = {
  'x-shopify-topic': 'orders/paid',
  'x-shopify-shop-domain': 'example.myshopify.com',
  'x-shopify-api-version': API_VERSION,
  'x-shopify-webhook-id': 'example',
};

/** The part of Shopify's package that checks webhooks. */
export const validatorFor = await validatorsOf(createRequire(import.meta.url).resolve('@shopify/shopify-api'));

/**
 * The entry of Shopify's package also loads clients for all its APIs, which are 170 modules and 20 MB. Therefore only the
 * part for webhooks is loaded. The entry is the fallback when a version of the package has no such part, or when the part
 * behaves differently.
 */
export async function validatorsOf(entry: string): Promise<ValidatorFor> {
  const load = createRequire(entry);
  return (await loadPart(load)) ?? loadWhole(load(entry));
}

async function loadPart(load: NodeJS.Require): Promise<ValidatorFor | null> {
  try {
    const { validateFactory } = load('./webhooks/validate.js');
    const { validateConfig } = load('./config.js');
    load('../adapters/node/index.js');
    const part: ValidatorFor = (secret) => validateFactory(validateConfig(configurationOf(secret)));
    return (await tellsSignaturesApart(part)) ? part : null;
  } catch {
    return null;
  }
}

function loadWhole({ shopifyApi }: Pick<typeof import('@shopify/shopify-api'), 'shopifyApi'>): ValidatorFor {
  createRequire(import.meta.url)('@shopify/shopify-api/adapters/node');
  return (secret) => shopifyApi(configurationOf(secret)).webhooks.validate;
}

/**
 * The package requires a whole app configuration, of which webhooks use only the secret. Nothing made of it is cached: a
 * cache would keep secrets in memory after their endpoint is deleted.
 */
function configurationOf(secret: string): Configuration {
  return {
    apiKey: 'unused',
    apiSecretKey: secret,
    hostName: 'unused.invalid',
    apiVersion: API_VERSION,
    isEmbeddedApp: false,
    logger: { log: () => {} },
  };
}

/** True when it accepts what is signed with its secret, and refuses another body, another secret and no signature. */
async function tellsSignaturesApart(part: ValidatorFor): Promise<boolean> {
  const [body, secret] = ['{}', 'example'];
  const signature = createHmac('sha256', secret).update(body).digest('base64');
  const accepts = async (rawBody: string, signed: Record<string, string>, by = secret) => {
    const headers = { ...HEADERS, ...signed };
    return (await part(by)({ rawBody, rawRequest: { method: 'POST', url: '/', headers } })).valid;
  };
  const signed = { 'x-shopify-hmac-sha256': signature };
  const refused = [await accepts('{} ', signed), await accepts(body, signed, 'other'), await accepts(body, {})];
  return (await accepts(body, signed)) === true && refused.every((isAccepted) => isAccepted === false);
}
