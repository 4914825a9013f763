import { AMOUNT_MAX, multiplyRatio, parseCurrency } from '../../src/core/money.ts';
import { quoted } from './event.ts';

/**
 * https://docs.stripe.com/currencies#special-cases: Stripe writes ISK and UGX with two decimals that are always zero, and
 * MGA without decimals; ISO 4217 has it the other way round. Everything else is counted alike.
 */
const ISO_MINOR_PER_STRIPE: ReadonlyMap<string, readonly [numerator: number, denominator: number]> = new Map([
  ['isk', [1, 100]],
  ['ugx', [1, 100]],
  ['mga', [100, 1]],
]);

/** A currency, and how an amount of Stripe's becomes one of ISO 4217 minor units. */
interface Unit {
  /** Lower case. */
  currency: string;
  numerator: number;
  denominator: number;
}

/** In ISO 4217 minor units, half up where Stripe's unit is the finer one: for parts of an amount, such as tax. */
export function roundedMinor(amount: number, unit: Unit): number {
  return multiplyRatio(amount, unit.numerator, unit.denominator);
}

/** An amount that moved, in ISO 4217 minor units; or why it is none. */
export type Money = { unit: Unit; amountMinor: number } | { problem: string };

/** Exactly, or not at all: an amount that Stripe's rules do not allow in its currency is a problem. */
export function moneyOf(amount: number, currency: string): Money {
  const code = parseCurrency(currency);
  if (code === null) return { problem: `the currency ${quoted(currency)} is not known` };
  const [numerator, denominator] = ISO_MINOR_PER_STRIPE.get(code) ?? [1, 1];
  const unit = { currency: code, numerator, denominator };
  if (amount % unit.denominator !== 0) {
    return { problem: `${amount} is no amount that Stripe gives in ${unit.currency}` };
  }
  const amountMinor = roundedMinor(amount, unit);
  if (amountMinor > AMOUNT_MAX) return { problem: `the amount ${amount} ${unit.currency} is out of range` };
  return { unit, amountMinor };
}
