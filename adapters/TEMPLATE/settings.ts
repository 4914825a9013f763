import { z } from 'zod';
import { acceptTestEvents, type SignatureDeclaration, signingSecrets } from '../contract/settings.ts';

export const settings = z.object({ acceptTestEvents });

export const secrets = z.object({ secrets: signingSecrets });

// TEMPLATE: describe the signature for the API description.
export const signature: SignatureDeclaration = {
  name: 'Template',
  header: 'X-Template-Signature',
  description: 'A timestamp and an HMAC-SHA256 over timestamp and body, with the signing secret.',
  fixture: 'payment.paid--first',
};

export type Settings = z.output<typeof settings>;
