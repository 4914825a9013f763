import type { IncomingHttpHeaders } from 'node:http';
import type { SignatureDeclaration } from '../../adapters/contract/settings.ts';

/** Why a delivery was not accepted, as far as that can be known without its secret. */
export const REFUSAL_CAUSES = ['no_secret', 'no_signature', 'stale', 'wrong_shop', 'not_verified'] as const;

export type RefusalCause = (typeof REFUSAL_CAUSES)[number];

/** A refused delivery: whether its endpoint has a secret, its headers, and the adapter's reason. */
export interface RefusedDelivery {
  hasSecret: boolean;
  headers: IncomingHttpHeaders;
  signature: SignatureDeclaration;
  reason: string;
}

/**
 * no_secret: the endpoint cannot verify anything yet. no_signature: the signature header is missing. stale: the
 * signature is valid, but its time is not. wrong_shop: the signature is valid, but belongs to another shop.
 * not_verified: any other reason, usually a secret that belongs to something else.
 */
export function refusalCauseOf({ hasSecret, headers, signature, reason }: RefusedDelivery): RefusalCause {
  if (!hasSecret) return 'no_secret';
  const { header, otherHeader = header } = signature;
  const hasNone = [header, otherHeader].every((name) => headers[name.toLowerCase()] === undefined);
  if (hasNone || missingHeaderOf(reason, signature) !== null) return 'no_signature';
  if (/^The signature is (?:right but )?\d/.test(reason)) return 'stale';
  return reason.startsWith('The signature is right, but') ? 'wrong_shop' : 'not_verified';
}

/** The header that the reason calls missing: an endpoint may require either of two headers, or both. */
function missingHeaderOf(reason: string, { header, otherHeader = header }: SignatureDeclaration): string | null {
  const isMissing = (name: string) =>
    [`${name} is missing`, `${name} header is missing`].some((text) => reason.includes(text));
  return [header, otherHeader].find(isMissing) ?? null;
}

/** Advises the operator what to do, in one or two sentences. */
export function adviceFor(cause: RefusalCause, reason: string, signature: SignatureDeclaration): string {
  const { name } = signature;
  switch (cause) {
    case 'no_secret':
      // some processors show a secret, at others one chooses it
      return `Give this endpoint the same secret as its webhook at ${name}.`;
    case 'no_signature': {
      const header = missingHeaderOf(reason, signature) ?? signature.header;
      return `Let the proxy in front of Refbridge pass on the header ${header}, and check that the sender is ${name}.`;
    }
    case 'stale':
      return 'Synchronize the clock of this machine (NTP), and let deliveries reach it without a queue in between.';
    case 'wrong_shop':
      return 'Change the shop domain of this endpoint, or create an endpoint for the other shop.';
    case 'not_verified':
      return (
        `Copy the secret again from the ${name} webhook with exactly this URL; test and live mode have different ones. ` +
        'If it is the right one, a proxy changes the body: let it pass the bytes on unchanged.'
      );
  }
}
