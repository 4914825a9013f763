import { formatMoney } from '../../core/money.ts';
import type { Commission } from '../../core/terms.ts';

/** `20 %`, `flat 5.00 EUR, 6.00 USD`. */
export function commissionText(commission: Commission): string {
  if (commission.type === 'percentage') return `${commission.rateBasisPoints / 100} %`;
  const amounts = Object.entries(commission.amounts).map(([currency, amount]) => formatMoney(amount, currency));
  return `flat ${amounts.join(', ')}`;
}
