import { z } from 'zod';
import { acceptTestEvents, type SignatureDeclaration, signingSecrets } from '../contract/settings.ts';

export const settings = z.object({ acceptTestEvents });

export const secrets = z.object({ secrets: signingSecrets });

export const signature: SignatureDeclaration = {
  name: 'Paddle',
  header: 'Paddle-Signature',
  description: 'A timestamp and an HMAC-SHA256 over timestamp and body, with the secret key of the destination.',
  fixture: 'transaction.completed--subscription-first',
};

export type Settings = z.output<typeof settings>;
