import { z } from 'zod';
import {
  acceptTestEvents,
  accessTokenButNo,
  apiUrl,
  type SignatureDeclaration,
  signingSecretsButNo,
} from '../contract/settings.ts';

export const settings = z.object({ acceptTestEvents, apiUrl });

/** https://developer.paddle.com/api-reference/about/api-keys */
const API_KEY = /^pdl_(?:live|sdbx|test)_apikey_/;

/** Secret keys of notification destinations. */
const SIGNING_SECRET = /^pdl_ntfset_/;

export const secrets = z.object({
  secrets: signingSecretsButNo(API_KEY, 'the secret key of the notification destination (pdl_ntfset_…)'),
  accessToken: accessTokenButNo(SIGNING_SECRET, 'an API key (pdl_live_apikey_…)'),
});

export const apiHosts = ['api.paddle.com', 'sandbox-api.paddle.com'];

export const signature: SignatureDeclaration = {
  name: 'Paddle',
  header: 'Paddle-Signature',
  description: 'A timestamp and an HMAC-SHA256 over timestamp and body, with the secret key of the destination.',
  fixture: 'transaction.completed--subscription-first',
};

export type Settings = z.output<typeof settings>;
