import type { Answer } from '../../../parts/api.ts';
import { currenciesOf } from '../../../parts/money.ts';

/** What a sale of this amount earns, in minor units, as the server computes it: never more than the amount. */
export function exampleCommission(
  commission: Answer<'getProgram'>['commission'],
  amountMinor: number,
): { currency: string; earned: number } {
  if (commission.type === 'percentage') {
    return { currency: 'usd', earned: Math.round((amountMinor * commission.rateBasisPoints) / 10_000) };
  }
  const [currency = 'usd'] = currenciesOf(commission.amounts);
  return { currency, earned: Math.min(amountMinor, commission.amounts[currency] ?? 0) };
}
