/** Building blocks of every processor's `settings.ts`. Must not load a processor's package. */

import { z } from 'zod';
import { text, withDefault } from '../../src/schema/fields.ts';

export { optional, text, withDefault } from '../../src/schema/fields.ts';

/**
 * The settings and secrets of a processor's endpoints. Every member has a default, and a description for API, command
 * line and documentation; a name means the same for every processor that has it.
 */
export interface EndpointDeclaration {
  /** Shown by the API and stored as JSON. */
  settings: z.ZodObject;
  /** Stored encrypted and never shown. The API shows the length of a list, and whether a text is set. */
  secrets: z.ZodObject;
  signature: SignatureDeclaration;
}

/** How the processor signs its deliveries, for the API's description. */
export interface SignatureDeclaration {
  /** As the processor calls itself. */
  name: string;
  header: string;
  /** Where the signature may be instead. */
  otherHeader?: string;
  description: string;
  /** The fixture that serves as the example of a delivery. */
  fixture: string;
}

const SECRETS_MAX = 10;

/** A setting of every processor. */
export const acceptTestEvents = withDefault(z.boolean(), false).describe('count test purchases as if they were real');

/** A secret of every processor. */
export const signingSecrets = withDefault(
  z
    .array(text())
    .max(SECRETS_MAX, `must have at most ${SECRETS_MAX} secrets`)
    .transform((secrets) => [...new Set(secrets)]),
  [],
).describe('signing secrets, any of which may match');
