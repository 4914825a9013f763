import { z } from 'zod';
import {
  acceptTestEvents,
  accessTokenButNo,
  apiUrl,
  type SignatureDeclaration,
  signingSecretsButNo,
} from '../contract/settings.ts';

export const settings = z.object({ acceptTestEvents, apiUrl });

/** Access tokens of an organization and of a person (https://polar.sh/docs/integrate/oat). */
const API_KEY = /^polar_(?:oat|pat)_/;

/** Secrets of webhook endpoints. */
const SIGNING_SECRET = /^(?:whsec_|polar_whs_)/;

export const secrets = z.object({
  secrets: signingSecretsButNo(API_KEY, 'the secret of the webhook endpoint'),
  accessToken: accessTokenButNo(SIGNING_SECRET, 'an organization access token (polar_oat_…)'),
});

export const apiHosts = ['api.polar.sh', 'sandbox-api.polar.sh'];

export const signature: SignatureDeclaration = {
  name: 'Polar',
  header: 'webhook-signature',
  description:
    'A Standard Webhooks signature over `webhook-id`, `webhook-timestamp` and the body, with the secret of the endpoint.',
  fixture: 'order.paid--subscription-first',
};
