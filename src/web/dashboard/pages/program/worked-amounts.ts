import type { Answer } from '../../../parts/api.ts';
import { currenciesOf } from '../../../parts/money.ts';

export const NET = 100_00;
export const TAX = 20_00;

/** What a payment of `NET` and `TAX` earns on these terms, in minor units, and what remains of it after half a refund. */
export function workedAmounts({ commission, amountBasis }: Pick<Answer<'getProgram'>, 'commission' | 'amountBasis'>): {
  currency: string;
  base: number;
  earned: number;
  afterHalf: number;
} {
  const currency = commission.type === 'flat' ? (currenciesOf(commission.amounts)[0] ?? 'usd') : 'usd';
  const base = amountBasis === 'net' ? NET : NET + TAX;
  const earned =
    commission.type === 'percentage'
      ? Math.round((base * commission.rateBasisPoints) / 10_000)
      : Math.min(base, commission.amounts[currency] ?? 0);
  return { currency, base, earned, afterHalf: earned - Math.round(earned / 2) };
}
