import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../src/errors.ts';
import type { DeliveryRequest, EndpointSecrets } from '../contract/adapter.ts';
import { noneMatches, usableSecrets } from '../contract/signatures.ts';
import { webhooks } from './webhooks.ts';

/**
 * Maximum age of a signature, and the maximum lead of the sender's clock (https://docs.stripe.com/webhooks/signature).
 * Stripe signs every retry anew.
 */
const TOLERANCE_SECONDS = 300;

/**
 * Verifies `Stripe-Signature` with Stripe's package, which does not parse the body, so thin events pass as well.
 * Any of the endpoint's secrets may match, so a secret can be rolled and several Stripe destinations can share a URL.
 *
 * @param now epoch milliseconds
 * @throws ServiceError `INVALID_SIGNATURE`
 */
export async function verify(request: DeliveryRequest, endpoint: EndpointSecrets, now: number): Promise<void> {
  const secrets = usableSecrets(endpoint);
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
  // decoded once; given bytes, the package would decode them again for every secret
  const body = request.rawBody.toString('utf8');
  const check = { secrets, toleranceSeconds: TOLERANCE_SECONDS, now };
  if (headers.some((header) => isSigned(body, header, check))) return;
  throw refused(whyNot(body, headers, secrets, now));
}

interface SignatureCheck {
  secrets: readonly string[];
  toleranceSeconds: number;
  /** Epoch milliseconds. */
  now: number;
}

function isSigned(body: string, header: string, { secrets, toleranceSeconds, now }: SignatureCheck): boolean {
  // the package accepts any future time, and a time that is not a number
  const signedAt = signedAtSeconds(header);
  if (!(signedAt - now / 1000 <= toleranceSeconds)) return false;
  return secrets.some((secret) => {
    try {
      return webhooks.signature?.verifyHeader(body, header, secret, toleranceSeconds, undefined, now) === true;
    } catch {
      // The package's error contains the header and the body, so it must not be passed on.
      return false;
    }
  });
}

function whyNot(body: string, headers: readonly string[], secrets: readonly string[], now: number): string {
  const ageless = { secrets, toleranceSeconds: Number.POSITIVE_INFINITY, now };
  const stale = headers.find((header) => isSigned(body, header, ageless));
  if (stale !== undefined) {
    const age = Math.floor(now / 1000) - signedAtSeconds(stale);
    return (
      `The signature is right but ${Math.abs(age)} s ${age > 0 ? 'old' : 'ahead'}, and ${TOLERANCE_SECONDS} s are allowed: ` +
      'compare this machine’s clock with the time, and forward deliveries without delay'
    );
  }
  if (!headers.some((header) => /(^|,)v1=/.test(header) && Number.isFinite(signedAtSeconds(header)))) {
    return 'The Stripe-Signature header has no timestamp (t=) or no signature of scheme v1';
  }
  if (secrets.some((secret) => /^[a-z]k_(live|test)_/.test(secret))) {
    return 'A secret of this endpoint is an API key, which signs no deliveries: set the signing secret (whsec_…) instead';
  }
  return noneMatches(secrets, 'another Stripe destination or mode');
}

/** NaN unless the header has exactly one time. */
function signedAtSeconds(header: string): number {
  const [time, ...others] = [...header.matchAll(/(?:^|,)t=([^,]*)/g)].map(([, value = '']) => value);
  return time !== undefined && others.length === 0 && /^\d{1,12}$/.test(time) ? Number(time) : Number.NaN;
}

/** The package decodes leniently and would not notice an added byte order mark or an invalid byte. */
function isAsSent(rawBody: Buffer): boolean {
  const hasByteOrderMark = rawBody[0] === 0xef && rawBody[1] === 0xbb && rawBody[2] === 0xbf;
  return !hasByteOrderMark && isUtf8(rawBody);
}

function refused(reason: string): ServiceError {
  return new ServiceError('INVALID_SIGNATURE', reason);
}
