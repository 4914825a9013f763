import type { Answers } from './api.ts';
import type { Format } from './format.ts';
import { fill, type Words } from './words/index.ts';

type Terms = Answers['terms'];

/**
 * `You earn 20% of every payment in a customer's first 12 months, paid out 30 days after it, once you have $50.00.` For a
 * partner who is archived: since when payments earn nothing.
 */
export function termsInWords(terms: Terms, words: Words, format: Format): string {
  const { commission, durationMonths, holdDays, minimumPayout, archivedAt } = terms;
  if (archivedAt !== null) return fill(words.termsEnded, { date: format.day(archivedAt) });
  const kind = commission.type === 'percentage' ? 'termsPercentage' : 'termsFlat';
  const length = durationMonths === null ? '' : durationMonths === 0 ? 'First' : 'Months';
  const clauses = [
    fill(words[`${kind}${length}`], {
      ...commissionValues(commission, format),
      months: format.count(durationMonths ?? 0, 'month'),
    }),
    holdDays === 0 ? words.termsNoHold : fill(words.termsHold, { days: format.count(holdDays, 'day') }),
  ];
  const minimums = Object.fromEntries(Object.entries(minimumPayout).filter(([, amount]) => amount > 0));
  if (Object.keys(minimums).length > 0) {
    clauses.push(fill(words.termsMinimum, { amount: format.eitherOf(minimums) }));
  }
  return format.language.startsWith('ja') ? `${clauses.join('、')}。` : `${clauses.join(', ')}.`;
}

/** `20% of a sale` or `$5.00 a sale`. */
export function commissionInWords(commission: Terms['commission'], words: Words, format: Format): string {
  const text = commission.type === 'percentage' ? words.rateOfSale : words.amountPerSale;
  return fill(text, commissionValues(commission, format));
}

function commissionValues(commission: Terms['commission'], format: Format): Record<string, string> {
  return commission.type === 'percentage'
    ? { rate: format.rate(commission.rateBasisPoints) }
    : { amount: format.eitherOf(commission.amounts) };
}
