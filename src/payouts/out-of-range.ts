import { ServiceError } from '../errors.ts';

/**
 * Each entry is an integer of at most 10^12, but the sum of many entries may be one that JavaScript cannot represent
 * exactly.
 */
export class SumOutOfRange extends ServiceError {
  constructor(currency: string) {
    super(
      'INVALID_STATE',
      `The open entries in ${currency.toUpperCase()} add up to more than ±9,007,199,254,740,991 minor units, which no payout ` +
        'can hold. None of them was started; correct wrong amounts with refunds or adjustments, then run again',
    );
  }
}

/** `a + b` in minor units; null when either is null or the sum is beyond ±(2^53 − 1). */
export function addAmounts(a: number | null, b: number | null): number | null {
  const sum = a === null || b === null ? null : a + b;
  return Number.isSafeInteger(sum) ? sum : null;
}
