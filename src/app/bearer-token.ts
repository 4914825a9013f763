import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE62, randomBase62 } from '../ids.ts';

/**
 * `rb_live_`: an API key. `rb_embed_`: an embed token. `rb_signin_`: a sign-in code. `rb_session_`: an operator's
 * session. `rb_portalcode_`: the code of a portal link. `rb_portal_`: the session that this code is exchanged for. None
 * is accepted in place of another.
 */
export type BearerTokenKind = 'rb_live_' | 'rb_embed_' | 'rb_signin_' | 'rb_session_' | 'rb_portalcode_' | 'rb_portal_';

const RANDOM_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
const BODY = new RegExp(`^[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

/** The kind, 30 random base62 characters (178 bits) and a checksum of 6. The token exists in clear text only here. */
export function createBearerToken(kind: BearerTokenKind): string {
  const body = randomBase62(RANDOM_CHARACTERS);
  return `${kind}${body}${checksum(kind + body)}`;
}

/** True when the kind and the checksum match, so that mistyped or invented tokens never reach the database. */
export function isBearerToken(kind: BearerTokenKind, text: string): boolean {
  if (!text.startsWith(kind) || !BODY.test(text.slice(kind.length))) return false;
  return checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS);
}

const IN_TEXT = /(rb_(?:live|embed|signin|session|portalcode|portal)_)[0-9A-Za-z]+/g;

/** Leaves only the kind of each token in a text for the log: people send keys where an id belongs. */
export function withoutTokens(text: string): string {
  return text.replaceAll(IN_TEXT, '$1…');
}

/**
 * SHA-256 in hexadecimal, the only form that is stored. It needs no salt and no slow hash, because 178 random bits
 * cannot be guessed, and no constant-time comparison, because nobody can choose the hash that is looked up.
 */
export function bearerTokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}

/**
 * CRC-32 in base62, most significant digit first: catches typing errors and helps secret scanners; it adds no secrecy.
 */
function checksum(text: string): string {
  let remainder = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_CHARACTERS) {
    digits = BASE62.charAt(remainder % 62) + digits;
    remainder = Math.floor(remainder / 62);
  }
  return digits;
}
