/** ISO 4217 minor units. `Intl` disagrees with the standard for 17 currencies, so the table is our own. */

const EXPONENT_0 = 'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf';
const EXPONENT_2 =
  'aed afn all amd aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob bov brl bsd btn bwp byn bzd cad cdf che chf chw cny ' +
  'cop cou crc cup cve czk dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gtq gyd hkd hnl htg huf idr ils inr ' +
  'irr jmd kes kgs khr kpw kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn mxv myr mzn nad ' +
  'ngn nio nok npr nzd pab pen pgk php pkr pln qar ron rsd rub sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp ' +
  'szl thb tjs tmt top try ttd twd tzs uah usd usn uyu uzs ved ves wst xad xcd xcg yer zar zmw zwg';
const EXPONENT_3 = 'bhd iqd jod kwd lyd omr tnd';
const EXPONENT_4 = 'clf uyw';

const EXPONENTS: ReadonlyMap<string, number> = new Map(
  [EXPONENT_0, '', EXPONENT_2, EXPONENT_3, EXPONENT_4].flatMap((codes, index) =>
    codes
      .split(' ')
      .filter(Boolean)
      .map((code): [string, number] => [code, index === 0 ? 0 : index]),
  ),
);

/** The largest amount of one sale, in minor units. */
export const AMOUNT_MAX = 1_000_000_000_000;

/** Decimals of a currency by ISO 4217; undefined for a code that is not one. Takes lower case. */
export function currencyExponent(currency: string): number | undefined {
  return EXPONENTS.get(currency);
}

/** Any case in, lower case out; null for what is no ISO 4217 code of a currency. */
export function parseCurrency(text: string): string | null {
  const code = text.toLowerCase();
  return EXPONENTS.has(code) ? code : null;
}

/**
 * Decimal text to minor units, exactly: no floating point, half away from zero beyond the exponent.
 *
 * Null for text that is no decimal number, is longer than 40 characters, or whose result no JSON number holds exactly.
 */
export function decimalToMinor(text: string, exponent: number): number | null {
  if (text.length > 40) return null;
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text.trim());
  if (!match) return null;
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const shift = exponent + Number(power) - fraction.length;
  if (shift > 40) return null;
  const digits = BigInt(whole + fraction);
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : divideHalfUp(digits, 10n ** BigInt(-shift));
  if (size > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return sign && size > 0n ? -Number(size) : Number(size);
}

/** `amount × numerator ÷ denominator`, rounded half up, exact at any size. All ≥ 0, denominator > 0. */
export function multiplyRatio(amount: number, numerator: number, denominator: number): number {
  return Number(divideHalfUp(BigInt(amount) * BigInt(numerator), BigInt(denominator)));
}

/** For people: `1999, 'usd'` → `19.99 USD`. Any currency of the table; sign kept. */
export function formatMoney(amountMinor: number, currency: string): string {
  return `${minorToDecimal(amountMinor, currency)} ${currency.toUpperCase()}`;
}

/** For banks: `1999, 'usd'` → `19.99`, with all decimals of the currency and a point. Sign kept. */
export function minorToDecimal(amountMinor: number, currency: string): string {
  const exponent = EXPONENTS.get(currency) ?? 0;
  const digits = Math.abs(amountMinor)
    .toString()
    .padStart(exponent + 1, '0');
  const cut = digits.length - exponent;
  const text = exponent === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
  return amountMinor < 0 ? `-${text}` : text;
}

function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
