import { isUtf8 } from 'node:buffer';
import Stripe from 'stripe';
import { ServiceError } from '../../src/errors.ts';
import type { DeliveryRequest, EndpointSecrets } from '../contract/adapter.ts';

/** https://docs.stripe.com/webhooks/signature: how old a signature may be. Stripe signs anew for every retry. */
const TOLERANCE_SECONDS = 300;

/**
 * Checks `Stripe-Signature` with the package's own check, which does not parse the body: thin events pass as well.
 * Any of the endpoint's secrets may match, so that a secret can be rolled and several Stripe destinations can share a URL.
 *
 * @param now epoch milliseconds
 * @throws ServiceError `INVALID_SIGNATURE`
 */
export async function verify(request: DeliveryRequest, endpoint: EndpointSecrets, now: number): Promise<void> {
  const secrets = endpoint.secrets.filter((secret) => secret.trim() !== '');
  if (secrets.length === 0) {
    throw refused(
      'This endpoint has no signing secret yet: set the one (whsec_…) that Stripe shows for its destination',
    );
  }
  const headers = [request.headers['stripe-signature'] ?? []].flat().filter((header) => header !== '');
  if (headers.length === 0) {
    throw refused('The Stripe-Signature header is missing: the request is not from Stripe, or a proxy removed it');
  }
  if (!isAsSent(request.rawBody)) {
    throw refused('The body is not plain UTF-8: something between Stripe and this service rewrote it');
  }
  if (headers.some((header) => isSigned(request.rawBody, header, secrets, TOLERANCE_SECONDS, now))) return;
  throw refused(whyNot(request.rawBody, headers, secrets, now));
}

function isSigned(
  rawBody: Buffer,
  header: string,
  secrets: readonly string[],
  toleranceSeconds: number,
  now: number,
): boolean {
  return secrets.some((secret) => {
    try {
      return (
        Stripe.webhooks.signature?.verifyHeader(rawBody, header, secret, toleranceSeconds, undefined, now) ?? false
      );
    } catch {
      // What the package throws carries the header and the body: it goes no further.
      return false;
    }
  });
}

function whyNot(rawBody: Buffer, headers: readonly string[], secrets: readonly string[], now: number): string {
  const stale = headers.find((header) => isSigned(rawBody, header, secrets, Number.POSITIVE_INFINITY, now));
  if (stale !== undefined) {
    const age = Math.floor(now / 1000) - signedAtSeconds(stale);
    return (
      `The signature is right but ${age} s old, and ${TOLERANCE_SECONDS} s are allowed: ` +
      'compare this machine’s clock with the time, and forward deliveries without delay'
    );
  }
  if (!headers.some((header) => /(^|,)v1=/.test(header) && Number.isFinite(signedAtSeconds(header)))) {
    return 'The Stripe-Signature header has no timestamp (t=) or no signature of scheme v1';
  }
  const which =
    secrets.length === 1
      ? 'The secret of this endpoint does not match'
      : `None of the ${secrets.length} secrets of this endpoint matches`;
  return `${which}: it belongs to another Stripe destination or mode, or the body was changed on the way`;
}

function signedAtSeconds(header: string): number {
  return Number(/(?:^|,)t=(\d+)/.exec(header)?.[1] ?? Number.NaN);
}

/** The package decodes leniently: without this check a byte order mark or a broken byte could be added unnoticed. */
function isAsSent(rawBody: Buffer): boolean {
  const hasByteOrderMark = rawBody[0] === 0xef && rawBody[1] === 0xbb && rawBody[2] === 0xbf;
  return !hasByteOrderMark && isUtf8(rawBody);
}

function refused(reason: string): ServiceError {
  return new ServiceError('INVALID_SIGNATURE', reason);
}
