import type { Answer } from '../../../parts/api.ts';
import { currenciesOf, formatAmount } from '../../../parts/money.ts';
import { formatShare } from '../../../parts/percent.ts';

type Program = Answer<'getProgram'>;
type Terms = Pick<Program, 'commission' | 'durationMonths' | 'holdDays' | 'amountBasis'>;

/** `20%` as the reader's language writes it, or `$5.00`. */
export function commissionInWords(commission: Program['commission']): string {
  if (commission.type === 'percentage') return formatShare(commission.rateBasisPoints / 10_000);
  const amounts = currenciesOf(commission.amounts).map((currency) =>
    formatAmount(commission.amounts[currency] ?? 0, currency),
  );
  return amounts.length === 0 ? 'nothing' : amounts.join(' or ');
}

/** `20% of every payment for 12 months, after discounts, without tax and shipping; paid 30 days after.` */
export function termsInWords({ commission, durationMonths, holdDays, amountBasis }: Terms): string {
  const payments =
    durationMonths === null
      ? 'every payment'
      : durationMonths === 0
        ? 'the first payment'
        : `every payment for ${durationMonths} ${durationMonths === 1 ? 'month' : 'months'}`;
  const basis = amountBasis === 'net' ? ', after discounts, without tax and shipping' : ', with tax and shipping';
  const isShare = commission.type === 'percentage';
  const hold = holdDays === 0 ? 'at once' : `${holdDays} ${holdDays === 1 ? 'day' : 'days'} after the payment`;
  return `${commissionInWords(commission)} ${isShare ? 'of' : 'for'} ${payments}${isShare ? basis : ''}; due ${hold}.`;
}
