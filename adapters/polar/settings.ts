import { z } from 'zod';
import { acceptTestEvents, type SignatureDeclaration, signingSecrets } from '../contract/settings.ts';

export const settings = z.object({ acceptTestEvents });

export const secrets = z.object({ secrets: signingSecrets });

export const signature: SignatureDeclaration = {
  name: 'Polar',
  header: 'webhook-signature',
  description:
    'A Standard Webhooks signature over `webhook-id`, `webhook-timestamp` and the body, with the secret of the endpoint.',
  fixture: 'order.paid--subscription-first',
};
