import { isUtf8 } from 'node:buffer';
import { webhooks } from '@polar-sh/sdk/2026-10';
import { ServiceError } from '../../src/errors.ts';
import type { DeliveryRequest, EndpointSecrets } from '../contract/adapter.ts';
import { noneMatches, usableSecrets } from '../contract/signatures.ts';

/**
 * The tolerance of Polar's package, in both directions. It is also checked here so that the error can state the age.
 */
const TOLERANCE_SECONDS = 300;

/** A rotation sends two. Checking more would only make it costly to refuse an unknown sender's request. */
const SIGNATURES_MAX = 5;

const SIGNED_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * Checks the three `webhook-…` headers (Standard Webhooks) with Polar's package, once per secret. The package checks
 * every signature in the header and tries the secret both as text and as base64.
 *
 * Source: https://polar.sh/docs/integrate/webhooks/delivery
 *
 * @param now epoch milliseconds; the package itself uses the system clock
 * @throws ServiceError `INVALID_SIGNATURE`
 */
export async function verify(request: DeliveryRequest, endpoint: EndpointSecrets, now: number): Promise<void> {
  const secrets = usableSecrets(endpoint);
  if (secrets.length === 0) {
    throw refused('This endpoint has no secret yet: set the one that Polar shows for its webhook endpoint');
  }
  const headers = readHeaders(request);
  requireFresh(Number(headers['webhook-timestamp']), now);
  if (!isUtf8(request.rawBody))
    throw refused('The body is not UTF-8: something between Polar and this service rewrote it');
  // Passed as text: given bytes, the package would drop a byte order mark that was never signed.
  const body = request.rawBody.toString('utf8');
  for (const secret of secrets) {
    if (await isSigned(body, headers, secret)) return;
  }
  throw refused(noneMatches(secrets, 'another endpoint or environment'));
}

async function isSigned(body: string, headers: Record<string, string>, secret: string): Promise<boolean> {
  try {
    await webhooks.validateEvent(body, headers, secret);
    return true;
  } catch (error) {
    if (error instanceof webhooks.PolarWebhookVerificationError) return false;
    // The signature is valid; the package does not know the type, or the body is not JSON.
    if (error instanceof webhooks.PolarWebhookError) return true;
    throw error;
  }
}

function readHeaders({ headers }: DeliveryRequest): Record<(typeof SIGNED_HEADERS)[number], string> {
  const [id, timestamp, signature] = SIGNED_HEADERS.map((name) => headers[name]);
  if (!isFilled(id) || !isFilled(timestamp) || !isFilled(signature)) {
    const missing = SIGNED_HEADERS.filter((name) => !isFilled(headers[name])).join(', ');
    throw refused(`Headers are missing (${missing}): the request is not from Polar, or a proxy removed them`);
  }
  if (!/^\d{1,12}$/.test(timestamp)) throw refused('The webhook-timestamp header is not a number of seconds');
  const count = signature.split(' ').length;
  if (count > SIGNATURES_MAX) {
    throw refused(`The webhook-signature header has ${count} signatures: at most ${SIGNATURES_MAX} are checked`);
  }
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

function isFilled(value: string | string[] | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

function requireFresh(timestamp: number, now: number): void {
  const age = Math.floor(now / 1000) - timestamp;
  if (Math.abs(age) <= TOLERANCE_SECONDS) return;
  throw refused(
    `The signature is ${Math.abs(age)} s ${age > 0 ? 'old' : 'ahead'}, and ${TOLERANCE_SECONDS} s are allowed: Polar says ` +
      `${new Date(timestamp * 1000).toISOString()}, this machine’s clock says ${new Date(now).toISOString()}`,
  );
}

function refused(reason: string): ServiceError {
  return new ServiceError('INVALID_SIGNATURE', reason);
}
