import { ServiceError } from '../errors.ts';

/** Entries are integers of at most 10^12 each, but what many of them add up to may not be one that JavaScript can hold. */
export class SumOutOfRange extends ServiceError {
  constructor(currency: string) {
    super(
      'INVALID_STATE',
      `The open entries in ${currency.toUpperCase()} add up to more than ±9,007,199,254,740,991 minor units, which no payout ` +
        'can hold. None of them was started; correct wrong amounts with refunds or adjustments, then run again',
    );
  }
}

/** `a + b` in minor units; null when one of them is, or the sum is beyond ±(2^53 − 1). */
export function addAmounts(a: number | null, b: number | null): number | null {
  const sum = a === null || b === null ? null : a + b;
  return Number.isSafeInteger(sum) ? sum : null;
}
