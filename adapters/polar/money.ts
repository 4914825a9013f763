import { AMOUNT_MAX, currencyExponent, multiplyRatio } from '../../src/core/money.ts';

/** Polar counts these in whole units and every other currency in hundredths, whatever ISO 4217 says (ISK, UGX, MGA). */
const WHOLE_UNIT_CURRENCIES: ReadonlySet<string> = new Set(
  'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '),
);

/** Polar's amount in ISO 4217 minor units, rounded half up. Not negative; the currency is one of `parseCurrency`. */
export function toMinor(amount: number, currency: string): number {
  const decimals = WHOLE_UNIT_CURRENCIES.has(currency) ? 0 : 2;
  const shift = (currencyExponent(currency) ?? decimals) - decimals;
  return shift < 0 ? multiplyRatio(amount, 1, 10 ** -shift) : amount * 10 ** shift;
}

/** False for more than one sale or refund may come to. */
export function isCountable(amount: number, currency: string): boolean {
  return toMinor(amount, currency) <= AMOUNT_MAX;
}
