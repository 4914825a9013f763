import { currencyExponent, decimalToMinor } from '../../src/core/money.ts';

/** A decimal number as `digits ÷ 10^scale`. */
interface Decimal {
  digits: bigint;
  scale: number;
}

const SCALE_MAX = 40;

/**
 * Splits a price into net and tax. Net is `price × (1 − taxShare)`, multiplied exactly and rounded once, half up.
 * Without a share, RevenueCat knows of no tax and none is deducted. The store's commission is not deducted either.
 *
 * @param price decimal text, ≥ 0
 * @param taxShare decimal text, 0 to 1
 * @param currency lower case; a currency unknown to ISO 4217 is rejected with the fact
 * @returns minor units, 0 ≤ net ≤ gross; null when an argument is not such a number
 */
export function amountsOf(price: string, taxShare: string | null, currency: string) {
  const exponent = currencyExponent(currency) ?? 0;
  const grossMinor = decimalToMinor(price, exponent);
  const paid = parseDecimal(price);
  const share = parseDecimal(taxShare ?? '0');
  if (grossMinor === null || paid === null || share === null) return null;
  const whole = 10n ** BigInt(share.scale);
  if (share.digits > whole) return null;
  const kept = paid.digits * (whole - share.digits);
  const netMinor = decimalToMinor(`${kept}e-${paid.scale + share.scale}`, exponent);
  return netMinor === null ? null : { grossMinor, netMinor, taxMinor: grossMinor - netMinor };
}

/** Parses a non-negative JSON number, with or without an exponent; null for anything else. */
function parseDecimal(text: string): Decimal | null {
  const match = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (!match) return null;
  const [, whole = '', fraction = '', power = '0'] = match;
  const scale = fraction.length - Number(power);
  if (Math.abs(scale) > SCALE_MAX) return null;
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}
