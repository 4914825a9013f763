/** Building blocks for every processor's `settings.ts`. Must not load a processor's package. */

import { z } from 'zod';
import { httpUrlField, optional, text, withDefault } from '../../src/schema/fields.ts';

export { optional, text, withDefault } from '../../src/schema/fields.ts';

/**
 * The settings and secrets of a processor's endpoints. Every member has a default and a description for API, command
 * line and documentation. A name means the same for every processor that uses it.
 */
export interface EndpointDeclaration {
  /** Shown by the API and stored as JSON. */
  settings: z.ZodObject;
  /** Stored encrypted and never shown. The API shows only the length of a list and whether a text is set. */
  secrets: z.ZodObject;
  signature: SignatureDeclaration;
  /** The hosts of the processor's API that `apiUrl` may name. */
  apiHosts?: readonly string[];
}

/** How the processor signs its deliveries, for the API description. */
export interface SignatureDeclaration {
  /** The processor's own name for itself. */
  name: string;
  header: string;
  /** Another header that may carry the signature instead, or beside it; the adapter's reason says which one is missing. */
  otherHeader?: string;
  description: string;
  /** The fixture that serves as the example delivery. */
  fixture: string;
}

/** A setting of processors whose API lists the past. */
export const apiUrl = optional(httpUrlField).describe(
  'another address of the API, such as that of a sandbox, on a host of the processor or one that `EVENT_ALLOWED_HOSTS` names',
);

/**
 * A secret of processors whose API lists the past.
 *
 * @param isOther matches other secrets of the processor, which its API does not accept
 * @param right what to set instead
 */
export function accessTokenButNo(isOther: RegExp, right: string) {
  const token = text(1000).refine((value) => !isOther.test(value), `is another secret: set ${right} instead`);
  return optional(token).describe('the credential of the API, with which a reconciliation reads what did not arrive');
}

const SECRETS_MAX = 10;

/** A setting of every processor. */
export const acceptTestEvents = withDefault(z.boolean(), false).describe('count test purchases as if they were real');

/** A secret of every processor. */
export const signingSecrets = secretsOf(text());

/**
 * `signingSecrets` of a processor whose API keys have a form of their own. The form of secrets may change, and a test
 * may use any, so everything else is accepted.
 *
 * @param isApiKey matches API keys only
 * @param right what to set instead
 */
export function signingSecretsButNo(isApiKey: RegExp, right: string): typeof signingSecrets {
  return secretsOf(text().refine((secret) => !isApiKey.test(secret), `is an API key: set ${right} instead`));
}

function secretsOf(secret: z.ZodType<string>) {
  return withDefault(
    z
      .array(secret)
      .max(SECRETS_MAX, `must have at most ${SECRETS_MAX} secrets`)
      .transform((secrets) => [...new Set(secrets)]),
    [],
  ).describe('signing secrets, any of which may match');
}
