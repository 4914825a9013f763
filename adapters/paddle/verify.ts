import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../../src/errors.ts';
import type { DeliveryRequest, EndpointSecrets } from '../contract/adapter.ts';
import { noneMatches, usableSecrets } from '../contract/signatures.ts';
import { webhooks } from './webhooks.ts';

/**
 * The same as for other processors. Paddle's package allows 5 s, too little behind a busy proxy. Delivery keys catch
 * replays.
 */
const TOLERANCE_SECONDS = 300;

/** A rotation sends two. Checking more would only make it costly to refuse an unknown sender's request. */
const SIGNATURES_MAX = 5;

/**
 * Checks `Paddle-Signature` (`ts=<seconds>;h1=<hex>`, several `h1` while a secret is rotated) with Paddle's package,
 * once per secret and signature: the package itself reads only the last `h1` and would accept an empty secret.
 *
 * Source: https://developer.paddle.com/webhooks/signature-verification
 *
 * @param now epoch milliseconds
 * @throws ServiceError `INVALID_SIGNATURE`
 */
export async function verify(request: DeliveryRequest, endpoint: EndpointSecrets, now: number): Promise<void> {
  const secrets = usableSecrets(endpoint);
  if (secrets.length === 0) {
    throw refused(
      "This endpoint has no secret yet: set the secret key (pdl_ntfset_…) of Paddle's notification destination",
    );
  }
  const { timestamp, signatures } = readSignatures(request);
  if (!isUtf8(request.rawBody))
    throw refused('The body is not UTF-8: something between Paddle and this service rewrote it');
  const body = request.rawBody.toString('utf8');
  const headers = signatures.map((signature) => `ts=${timestamp};h1=${signature}`);
  for (const [secret, header] of secrets.flatMap((secret) => headers.map((header) => [secret, header] as const))) {
    if (await webhooks.isSignatureValid(body, secret, header)) return requireFresh(timestamp, now);
  }
  throw refused(noneMatches(secrets, 'another destination or environment'));
}

function readSignatures({ headers, rawBody }: DeliveryRequest): { timestamp: number; signatures: string[] } {
  const header = headers['paddle-signature'];
  if (typeof header !== 'string' || header === '') {
    throw refused(
      rawBody.includes('p_signature=')
        ? 'This is an alert of Paddle Classic: only notifications of Paddle Billing are understood'
        : 'The Paddle-Signature header is missing: the request is not from Paddle, or a proxy removed it',
    );
  }
  const parts = header.split(';').map((part) => part.trim().split('='));
  const timestamp = parts.find(([name, value = '']) => name === 'ts' && /^\d{1,12}$/.test(value))?.[1];
  const signatures = parts.flatMap(([name, value = '']) =>
    name === 'h1' && /^[0-9a-f]{64}$/.test(value) ? value : [],
  );
  if (timestamp === undefined || signatures.length === 0) {
    throw refused('The Paddle-Signature header has no timestamp (ts=) or no signature (h1=)');
  }
  if (signatures.length > SIGNATURES_MAX) {
    throw refused(
      `The Paddle-Signature header has ${signatures.length} signatures: at most ${SIGNATURES_MAX} are checked`,
    );
  }
  return { timestamp: Number(timestamp), signatures };
}

/** Checks both directions: a signature from the future could be replayed for just as long. */
function requireFresh(timestamp: number, now: number): void {
  const age = Math.floor(now / 1000) - timestamp;
  if (Math.abs(age) <= TOLERANCE_SECONDS) return;
  throw refused(
    `The signature is right but ${Math.abs(age)} s ${age > 0 ? 'old' : 'ahead'}, and ${TOLERANCE_SECONDS} s are allowed: Paddle says ` +
      `${new Date(timestamp * 1000).toISOString()}, this machine’s clock says ${new Date(now).toISOString()}`,
  );
}

function refused(reason: string): ServiceError {
  return new ServiceError('INVALID_SIGNATURE', reason);
}
