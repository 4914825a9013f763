import type { DetailName } from '../../rails/contract/form.ts';
import { RAIL_FORMS } from '../../rails/forms.ts';
import type { Words } from './words/index.ts';

export type Rail = keyof typeof RAIL_FORMS;

/** A payment method, under the name that partners know. */
export function railName(rail: Rail, words: Words): string {
  return rail === 'sepa' ? words.bankTransfer : RAIL_FORMS[rail].title;
}

const LABELS: Readonly<Record<DetailName, (words: Words) => string>> = {
  email: (words) => words.email,
  name: (words) => words.holder,
  iban: () => 'IBAN',
  bic: () => 'BIC',
  receiverType: (words) => words.holderIs,
  account: (words) => words.stripeAccount,
};

/** IBAN and BIC have the same name in every language. */
export function detailLabel(name: DetailName, words: Words): string {
  return LABELS[name](words);
}

export function receiverName(type: string, words: Words): string {
  return type === 'BUSINESS' ? words.business : words.person;
}
