import { z } from 'zod';
import { acceptTestEvents, type SignatureDeclaration, signingSecretsButNo } from '../contract/settings.ts';

export const settings = z.object({ acceptTestEvents });

/** Access tokens of an organization and of a person (https://polar.sh/docs/integrate/oat). */
const API_KEY = /^polar_(?:oat|pat)_/;

export const secrets = z.object({ secrets: signingSecretsButNo(API_KEY, 'the secret of the webhook endpoint') });

export const signature: SignatureDeclaration = {
  name: 'Polar',
  header: 'webhook-signature',
  description:
    'A Standard Webhooks signature over `webhook-id`, `webhook-timestamp` and the body, with the secret of the endpoint.',
  fixture: 'order.paid--subscription-first',
};
