import { AMOUNT_MAX, currencyExponent, decimalToMinor, minorToDecimal } from '../../core/money.ts';

/** Minor units by currency: `{usd: 1999}`. */
export type Amounts = Readonly<Record<string, number>>;

/**
 * `1999, 'usd'` → `$19.99` in the reader's language, with the decimals of ISO 4217 rather than those of `Intl`. No two
 * currencies share a symbol: `CA$19.99`.
 */
export function formatAmount(amountMinor: number, currency: string, language?: string): string {
  const digits = currencyExponent(currency) ?? 0;
  const format = new Intl.NumberFormat(language, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // a decimal text, because a float would round large amounts
  return format.format(minorToDecimal(amountMinor, currency) as Intl.StringNumericLiteral);
}

/** `19.99` in a field → 1999; null for anything that is not an amount of this currency. */
export function parseAmount(text: string, currency: string): number | null {
  const exponent = currencyExponent(currency.toLowerCase());
  const number = /^-?\d+(?:\.(\d+))?$/.exec(text.trim());
  if (exponent === undefined || number === null) return null;
  const [digits, decimals = ''] = number;
  return decimals.length > exponent ? null : decimalToMinor(digits, exponent);
}

/** An example with the decimals of its currency: `12.50`, `1250`, `1.250`. */
const EXAMPLE_MINOR = 1_250;

/** Why the text in a field is not an amount of this currency; undefined while it is empty, or if it is one. */
export function amountProblem(text: string, currency: string): string | undefined {
  const amount = parseAmount(text, currency);
  const code = currency.toUpperCase();
  if (text === '') return undefined;
  if (amount === null) return `Not an amount in ${code}, such as ${amountText(EXAMPLE_MINOR, currency)}`;
  return Math.abs(amount) > AMOUNT_MAX ? `At most ${amountText(AMOUNT_MAX, currency)} ${code}` : undefined;
}

export function isCurrency(code: string): boolean {
  return currencyExponent(code) !== undefined;
}

/** For a field: `1999, 'usd'` → `19.99`. */
export function amountText(amountMinor: number, currency: string): string {
  return minorToDecimal(amountMinor, currency);
}

/** The currencies of several sums, the largest number of units first, so that the main one leads. */
export function currenciesOf(...sums: readonly Amounts[]): string[] {
  const totals = new Map<string, number>();
  for (const amounts of sums) {
    for (const [currency, amount] of Object.entries(amounts)) {
      totals.set(currency, (totals.get(currency) ?? 0) + Math.abs(amount) / 10 ** (currencyExponent(currency) ?? 0));
    }
  }
  return [...totals].sort(([, a], [, b]) => b - a).map(([currency]) => currency);
}

/** Sums in one currency each, the largest number of units first; an unknown sum is too large to show. */
export function largestFirst<Sum extends { currency: string; amount: number | null }>(sums: readonly Sum[]): Sum[] {
  const units = ({ currency, amount }: Sum) =>
    amount === null ? Number.MAX_VALUE : Math.abs(amount) / 10 ** (currencyExponent(currency) ?? 0);
  return sums.toSorted((a, b) => units(b) - units(a));
}
