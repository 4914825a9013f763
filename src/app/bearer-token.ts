import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62 } from '../ids.ts';

/** `rb_live_`: an API key. `rb_embed_`: an embed token. Each is refused where the other belongs. */
export type BearerTokenKind = 'rb_live_' | 'rb_embed_';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
const BODY = new RegExp(`^[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`);

/** The kind, 30 random base62 characters (178 bits) and 6 of checksum. The only moment at which it exists in clear. */
export function createBearerToken(kind: BearerTokenKind): string {
  const body = randomBase62(RANDOM_CHARACTERS);
  return `${kind}${body}${checksum(kind + body)}`;
}

/** True for text of this kind whose checksum holds; a mistyped or made-up one is told apart without the database. */
export function isBearerToken(kind: BearerTokenKind, text: string): boolean {
  if (!text.startsWith(kind) || !BODY.test(text.slice(kind.length))) return false;
  return checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS);
}

/**
 * SHA-256 in hexadecimal: all that is stored. No salt and no slow hash, because 178 random bits cannot be guessed;
 * a look-up by this hash needs no constant-time comparison, because nobody can steer it.
 */
export function bearerTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** CRC-32 in base62, most significant digit first: against typing errors and secret scanners' guesses, not for secrecy. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_CHARACTERS) {
    digits = DIGITS.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
