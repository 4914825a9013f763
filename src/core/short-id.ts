/** The number of base-36 digits in 128 bits. */
const DIGITS = 25;
/** So many digits are read at once, because arithmetic with a bigint takes longer than reading. */
const PART = /.{5}/g;
const PART_BASE = 36n ** 5n;

/**
 * The name of a payout in files for banks: `P` and the bits of its id in base 36. It has 26 characters, without lower
 * case or punctuation, because banks and PayPal cut or refuse longer ids.
 *
 * @throws Error for a text that is not a prefix and 32 hexadecimal digits
 */
export function shortIdOf(id: string): string {
  const hex = /^[a-z]{3}_([0-9a-f]{32})$/.exec(id)?.[1];
  if (hex === undefined) throw new Error(`${id} is not the id of a row`);
  return `P${BigInt(`0x${hex}`).toString(36).padStart(DIGITS, '0').toUpperCase()}`;
}

/** The id of the payout with this short id, in any case; null for a text that is not a short id. */
export function payoutIdOfShort(text: string): string | null {
  const digits = /^p([0-9a-z]{25})$/.exec(text.trim().toLowerCase())?.[1];
  if (digits === undefined) return null;
  let bits = 0n;
  for (const part of digits.match(PART) ?? []) bits = bits * PART_BASE + BigInt(Number.parseInt(part, 36));
  const hex = bits.toString(16).padStart(32, '0');
  return hex.length === 32 ? `pay_${hex}` : null;
}
