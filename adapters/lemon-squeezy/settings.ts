import { z } from 'zod';
import { acceptTestEvents, type SignatureDeclaration, signingSecrets } from '../contract/settings.ts';

export const settings = z.object({ acceptTestEvents });

export const secrets = z.object({ secrets: signingSecrets });

export const signature: SignatureDeclaration = {
  name: 'Lemon Squeezy',
  header: 'X-Signature',
  description: 'An HMAC-SHA256 over the body in hexadecimal, with the signing secret of the webhook.',
  fixture: 'order_created--one-time-discount',
};

export type Settings = z.output<typeof settings>;
