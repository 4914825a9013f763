import { createHmac, timingSafeEqual } from 'node:crypto';

export const SIGNED_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

export type SignedHeaders = Record<(typeof SIGNED_HEADERS)[number], string>;

/**
 * Whether a signature in the header is valid (Standard Webhooks: the HMAC of id, time and body), as Polar's package finds,
 * but without parsing the body. The key is the secret as text, or what it encodes in base64.
 */
export function isSignedUnparsed(rawBody: Buffer, headers: SignedHeaders, secret: string): boolean {
  const start = `${headers['webhook-id']}.${Number(headers['webhook-timestamp'])}.`;
  const expected = keysOf(secret).map((key) => createHmac('sha256', key).update(start).update(rawBody).digest());
  return signaturesIn(headers['webhook-signature']).some((given) =>
    expected.some((each) => given.length === each.length && timingSafeEqual(given, each)),
  );
}

function signaturesIn(header: string): Buffer[] {
  return header.split(' ').flatMap((versioned) => {
    const [version, signature] = versioned.split(',');
    return (version === 'v1' && signature !== undefined && decodeBase64(signature)) || [];
  });
}

function keysOf(secret: string): Buffer[] {
  const decoded = decodeBase64(secret.replace(/^whsec_/, ''));
  return decoded === null || decoded.length === 0 ? [Buffer.from(secret)] : [Buffer.from(secret), decoded];
}

/** Null for anything else, which Node's decoder would read in part. */
function decodeBase64(text: string): Buffer | null {
  try {
    return Buffer.from(atob(text), 'latin1');
  } catch {
    return null;
  }
}
