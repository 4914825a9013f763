import type { Commission } from '../../client/api-types.ts';
import { sumsText } from './cell.ts';

/** `20%`, `flat 5.00 EUR, 6.00 USD`. */
export function commissionText(commission: Commission): string {
  if (commission.type === 'percentage') return `${commission.rateBasisPoints / 100}%`;
  return `flat ${sumsText(commission.amounts)}`;
}
