import type { DetailName } from '../../rails/contract/form.ts';
import { RAIL_FORMS } from '../../rails/forms.ts';
import type { Words } from './words/index.ts';

/** A payment method, under the name that partners know. */
export function railName(rail: keyof typeof RAIL_FORMS, words: Words): string {
  return rail === 'sepa' ? words.bankTransfer : RAIL_FORMS[rail].title;
}

/** IBAN and BIC have the same name in every language. */
export function detailLabel(name: DetailName, words: Words): string {
  return { email: words.email, name: words.holder, iban: 'IBAN', bic: 'BIC', receiverType: words.holderIs }[name];
}

export function receiverName(type: string, words: Words): string {
  return type === 'BUSINESS' ? words.business : words.person;
}
