import type { Answer } from '../../../parts/api.ts';
import { exampleCommission } from './example-commission.ts';

export const NET = 100_00;
export const TAX = 20_00;

/** What a payment of `NET` and `TAX` earns on these terms, in minor units, and what remains of it after half a refund. */
export function workedAmounts({ commission, amountBasis }: Pick<Answer<'getProgram'>, 'commission' | 'amountBasis'>): {
  currency: string;
  base: number;
  earned: number;
  afterHalf: number;
} {
  const base = amountBasis === 'net' ? NET : NET + TAX;
  const { currency, earned } = exampleCommission(commission, base);
  return { currency, base, earned, afterHalf: earned - Math.round(earned / 2) };
}
