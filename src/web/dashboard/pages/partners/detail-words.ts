import type { DetailName } from '../../../../rails/contract/form.ts';
import type { Option } from '../../ui/field.tsx';

export const LABELS: Readonly<Record<DetailName, string>> = {
  email: 'E-mail address',
  name: 'Account holder',
  iban: 'IBAN',
  bic: 'BIC',
  receiverType: 'Holder is',
  account: 'Stripe account',
};

export const RECEIVERS: readonly Option[] = [
  ['PRIVATE', 'A person'],
  ['BUSINESS', 'A business'],
];
