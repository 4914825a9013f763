import { AMOUNT_MAX } from '../../core/money.ts';
import { refused } from '../manifest.ts';

/**
 * Amounts beyond `AMOUNT_MAX` would make sums that cannot be represented exactly.
 *
 * @throws ServiceError `VALIDATION_ERROR` with `message` unless each amount is an integer of 0 to `AMOUNT_MAX`
 */
export function requireAmounts(amounts: readonly number[], message: string): void {
  if (amounts.every((amount) => Number.isSafeInteger(amount) && amount >= 0 && amount <= AMOUNT_MAX)) return;
  throw refused(message);
}
