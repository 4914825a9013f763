import { isUtf8 } from 'node:buffer';
import type { WebhookValidation } from '@shopify/shopify-api';
import { ServiceError } from '../../src/errors.ts';
import type { DeliveryRequest } from '../contract/adapter.ts';
import { usableSecrets } from '../contract/signatures.ts';
import type { Secrets, Settings } from './settings.ts';
import { validatorFor } from './webhooks.ts';

type Refusal = Exclude<WebhookValidation, { valid: true }>;

/**
 * Checks `X-Shopify-Hmac-Sha256` with the official package against every secret, then the shop against the endpoint's.
 *
 * Shopify signs only the body and no timestamp. Topic, shop and ids are unsigned headers, so a captured body can be
 * replayed with different ones. Therefore the shop is compared, and money is deduplicated by ids in the body.
 *
 * @throws ServiceError `INVALID_SIGNATURE`
 */
export async function verify(request: DeliveryRequest, endpoint: Secrets & Settings): Promise<void> {
  const secrets = usableSecrets(endpoint);
  if (secrets.length === 0) {
    throw refused('This endpoint has no signing secret yet; add the one that Shopify shows beside the webhook');
  }
  // the package signs text, and several broken bytes are read as the same character
  if (!isUtf8(request.rawBody))
    throw refused('The body is not UTF-8: something between Shopify and this service rewrote it');
  const rawBody = request.rawBody.toString('utf8');
  const rawRequest = { method: 'POST', url: '/', headers: request.headers };
  for (const secret of secrets) {
    const result = await validatorFor(secret)({ rawBody, rawRequest });
    if (result.valid) return requireShop(result.domain, endpoint.shopDomain);
    if (result.reason !== 'invalid_hmac') throw refused(explain(result));
  }
  throw refused(
    'No secret matched X-Shopify-Hmac-Sha256: an app signs with its client secret, the admin (Settings → Notifications → ' +
      'Webhooks) with the secret shown there, and neither matches a body that a proxy rewrote',
  );
}

function requireShop(domain: string, shopDomain: string | null): void {
  if (shopDomain === null || domain.toLowerCase() === shopDomain.toLowerCase()) return;
  throw refused(
    `The signature is right, but X-Shopify-Shop-Domain names another shop than ${shopDomain}, the shop of this ` +
      'endpoint; change its shopDomain, or create an endpoint for the other shop',
  );
}

function explain(refusal: Refusal): string {
  if ('missingHeaders' in refusal) return `These headers are missing: ${refusal.missingHeaders.join(', ')}`;
  switch (refusal.reason) {
    case 'missing_hmac':
      return 'The header X-Shopify-Hmac-Sha256 is missing: the request is not from Shopify, or a proxy drops headers';
    case 'missing_body':
      return 'The body is empty';
    default:
      return 'The signature could not be checked';
  }
}

function refused(message: string): ServiceError {
  return new ServiceError('INVALID_SIGNATURE', message);
}
