import { multiplyRatio } from '../../src/core/money.ts';

/**
 * Stripe writes ISK and UGX with two decimals that are always zero, and MGA without decimals; ISO 4217 does the
 * opposite. All other currencies match. Source: https://docs.stripe.com/currencies#special-cases
 */
const ISO_MINOR_PER_STRIPE: ReadonlyMap<string, readonly [numerator: number, denominator: number]> = new Map([
  ['isk', [1, 100]],
  ['ugx', [1, 100]],
  ['mga', [100, 1]],
]);

/** A currency, and the ratio that converts Stripe's unit to ISO 4217 minor units. */
interface Unit {
  /** Lower case. */
  currency: string;
  numerator: number;
  denominator: number;
}

/** Converts part of an amount, such as tax, to ISO 4217 minor units; rounds half up where Stripe's unit is finer. */
export function roundedMinor(amount: number, unit: Unit): number {
  return multiplyRatio(amount, unit.numerator, unit.denominator);
}

/** A paid, refunded or disputed amount in ISO 4217 minor units, or the reason that it is invalid. */
export type Money = { unit: Unit; amountMinor: number } | { problem: string };

/** Converts without rounding. An amount that Stripe's rules do not allow in its currency is a problem. */
export function moneyOf(amount: number, currency: string): Money {
  const code = currency.toLowerCase();
  const [numerator, denominator] = ISO_MINOR_PER_STRIPE.get(code) ?? [1, 1];
  const unit = { currency: code, numerator, denominator };
  if (amount % unit.denominator !== 0) {
    return { problem: `${amount} is not a valid Stripe amount in ${unit.currency}` };
  }
  return { unit, amountMinor: roundedMinor(amount, unit) };
}
