import { currencyExponent, multiplyRatio } from '../../src/core/money.ts';

/**
 * Polar counts these in whole units and all other currencies in hundredths, even where ISO 4217 differs (ISK, UGX,
 * MGA).
 */
const WHOLE_UNIT_CURRENCIES: ReadonlySet<string> = new Set(
  'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' '),
);

/** Converts a non-negative Polar amount to ISO 4217 minor units, rounded half up. `currency` is in lower case. */
export function toMinor(amount: number, currency: string): number {
  const decimals = WHOLE_UNIT_CURRENCIES.has(currency) ? 0 : 2;
  const shift = (currencyExponent(currency) ?? decimals) - decimals;
  return shift < 0 ? multiplyRatio(amount, 1, 10 ** -shift) : amount * 10 ** shift;
}
