/** ISO 4217 minor units. This table exists because `Intl` disagrees with the standard for 17 currencies. */

/** Every currency, by its number of decimals. */
const CODES_BY_EXPONENT: Readonly<Record<number, string>> = {
  0: 'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf',
  2:
    'aed afn all amd aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob bov brl bsd btn bwp byn bzd cad cdf che chf chw cny ' +
    'cop cou crc cup cve czk dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gtq gyd hkd hnl htg huf idr ils inr ' +
    'irr jmd kes kgs khr kpw kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn mxv myr mzn nad ' +
    'ngn nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp ' +
    'szl thb tjs tmt top try ttd twd tzs uah usd usn uyu uzs ved ves wst xad xcd xcg yer zar zmw zwg',
  3: 'bhd iqd jod kwd lyd omr tnd',
  4: 'clf uyw',
};

const EXPONENTS: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES_BY_EXPONENT).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code) => [code, Number(exponent)] as const),
  ),
);

/** Every lower-case ISO 4217 code. */
export const CURRENCIES: readonly string[] = [...EXPONENTS.keys()];

/** The largest amount of one sale, in minor units. */
export const AMOUNT_MAX = 1_000_000_000_000;

/** The decimals of a lower-case ISO 4217 code; undefined for an unknown one. */
export function currencyExponent(currency: string): number | undefined {
  return EXPONENTS.get(currency);
}

/** Any case in, lower case out; null for anything but an ISO 4217 currency code. */
export function parseCurrency(text: string): string | null {
  const code = text.toLowerCase();
  return EXPONENTS.has(code) ? code : null;
}

/**
 * Converts decimal text to minor units without floating point; extra decimals round half away from zero.
 *
 * Null when the text is not a decimal number or has more than 40 characters, or the result is not a safe integer.
 */
export function decimalToMinor(text: string, exponent: number): number | null {
  if (text.length > 40) return null;
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text.trim());
  if (!match) return null;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const shift = exponent + Number(power) - fraction.length;
  const digits = BigInt(whole + fraction);
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfUp(digits, 10n ** BigInt(-shift));
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return sign && size > 0n ? -Number(size) : Number(size);
}

/** `amount × numerator ÷ denominator`, rounded half up, exact at any size. Arguments ≥ 0, denominator > 0. */
export function multiplyRatio(amount: number, numerator: number, denominator: number): number {
  return Number(divideHalfUp(BigInt(amount) * BigInt(numerator), BigInt(denominator)));
}

/** Formats for people: `1999, 'usd'` → `19.99 USD`. */
export function formatMoney(amountMinor: number, currency: string): string {
  return `${minorToDecimal(amountMinor, currency)} ${currency.toUpperCase()}`;
}

/** Formats for banks: `1999, 'usd'` → `19.99`, with all decimals of the currency. */
export function minorToDecimal(amountMinor: number | bigint, currency: string): string {
  const exponent = EXPONENTS.get(currency) ?? 0;
  const digits = String(amountMinor)
    .replace('-', '')
    .padStart(exponent + 1, '0');
  const cut = digits.length - exponent;
  const text = exponent === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
  return amountMinor < 0 ? `-${text}` : text;
}

/** Divides and rounds half up. Both arguments ≥ 0, the divisor > 0. */
export function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
