import { formatMoney } from '../../core/money.ts';

/**
 * Stripe's unit of ISK and UGX is a hundredth of the ISO 4217 minor unit, and that of MGA a hundred of them. All other
 * currencies match, but for those below. Source: https://docs.stripe.com/currencies#special-cases
 */
const STRIPE_PER_ISO_MINOR: ReadonlyMap<string, readonly [multiplier: bigint, divisor: bigint]> = new Map([
  ['isk', [100n, 1n]],
  ['ugx', [100n, 1n]],
  ['mga', [1n, 100n]],
]);

/** Stripe requires their last digit to be 0 (https://docs.stripe.com/currencies#three-decimal). */
const THREE_DECIMALS: ReadonlySet<string> = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);

/** Stripe does not document them, and counts undocumented currencies in hundredths, which they do not have. */
const UNIT_UNKNOWN: ReadonlySet<string> = new Set(['clf', 'iqd', 'lyd', 'uyi', 'uyw']);

/**
 * The most of any currency: that of IDR. Most have less, which is documented for charges only
 * (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts): there, Stripe itself refuses.
 */
const STRIPE_AMOUNT_MAX = 999_999_999_999n;

/** An amount in Stripe's unit, or why there is none, as a sentence without a final period. */
export type StripeAmount = { amount: number } | { problem: string };

/**
 * Converts ISO 4217 minor units to Stripe's unit, without rounding.
 *
 * @param currency lower case. Stripe itself refuses one that it does not know.
 */
export function stripeAmountOf(amountMinor: number, currency: string): StripeAmount {
  const code = currency.toUpperCase();
  if (!Number.isSafeInteger(amountMinor) || amountMinor <= 0) return { problem: 'Stripe pays only amounts above zero' };
  if (UNIT_UNKNOWN.has(currency)) return { problem: `Stripe does not pay in ${code}` };
  const [multiplier, divisor] = STRIPE_PER_ISO_MINOR.get(currency) ?? [1n, 1n];
  const multiplied = BigInt(amountMinor) * multiplier;
  if (multiplied % divisor !== 0n) return { problem: `Stripe pays only whole amounts in ${code}` };
  const amount = multiplied / divisor;
  if (THREE_DECIMALS.has(currency) && amount % 10n !== 0n) {
    return { problem: `Stripe pays amounts in ${code} only if their last digit is 0` };
  }
  if (amount > STRIPE_AMOUNT_MAX) {
    const max = Number((STRIPE_AMOUNT_MAX * divisor) / multiplier);
    return { problem: `Stripe pays at most ${formatMoney(max, currency)} at once` };
  }
  return { amount: Number(amount) };
}
