export const SECRET_KEY_TEXT = 'must be 32 bytes in base64 or hexadecimal; create one with: openssl rand -base64 32';
export const SECRET_KEYS_TEXT =
  'must be previous values of SECRET_KEY, or what secret.key contained, separated by commas';

/** 32 bytes as base64 or hexadecimal; null for anything else. */
export function parseSecretKey(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : null;
}

/** Keys separated by commas; null if one of them is none. */
export function parseSecretKeys(text: string): Buffer[] | null {
  const given = text.split(',').map((key) => key.trim());
  const keys = given.filter((key) => key !== '').map(parseSecretKey);
  return keys.every((key) => key !== null) ? keys : null;
}
