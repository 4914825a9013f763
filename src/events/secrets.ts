import { createHmac, randomBytes } from 'node:crypto';
import type { Sealer } from '../app/service.ts';
import { DAY_MS } from '../core/time.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** After a rotation, the old secret also signs for another day, so that the receiver can be updated in the meantime. */
const OVERLAP_MS = DAY_MS;

/** A signing secret, and the time until which it signs (epoch milliseconds); null for the current secret. */
export interface EventSecret {
  secret: string;
  until: number | null;
}

/** `whsec_` and 32 random bytes in base64. */
export function createEventSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The secrets after a rotation: the new one, plus the earlier ones that still sign. */
export function rotated(secrets: readonly EventSecret[], secret: string, now: number): EventSecret[] {
  const earlier = secrets
    .filter(({ until }) => until === null || until > now)
    .map(({ secret: old, until }) => ({ secret: old, until: until ?? now + OVERLAP_MS }));
  // at most three: with more rotations within a day, the oldest secrets stop signing early
  return [{ secret, until: null }, ...earlier].slice(0, 3);
}

export function sealEventSecrets(sealer: Sealer, secrets: readonly EventSecret[]): Buffer {
  return sealer.seal(JSON.stringify(secrets));
}

/** @throws Error when the secrets were encrypted with another `SECRET_KEY` */
export function openEventSecrets(sealer: Sealer, sealed: Buffer): EventSecret[] {
  return JSON.parse(sealer.open(sealed));
}

/** Null when there are none, and when another `SECRET_KEY` encrypted them. */
export function readableEventSecrets(sealer: Sealer, sealed: Buffer | null): EventSecret[] | null {
  try {
    return sealed === null ? null : openEventSecrets(sealer, sealed);
  } catch {
    return null;
  }
}

/** The signed content: the event, the time of the attempt in epoch seconds, and the body as sent. */
export interface SignedMessage {
  id: string;
  timestamp: number;
  body: string;
}

/** The headers of Standard Webhooks 1.0.0, with one signature for each active secret. */
export function signatureHeaders(
  { id, timestamp, body }: SignedMessage,
  secrets: readonly EventSecret[],
): Record<string, string> {
  const now = timestamp * 1000;
  const used = secrets.filter(({ until }) => until === null || until > now);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': used.map(({ secret }) => signatureOf(secret, `${id}.${timestamp}.${body}`)).join(' '),
  };
}

function signatureOf(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
