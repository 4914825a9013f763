import { type Answer, call } from '../../../parts/api.ts';
import { formatAmount } from '../../../parts/money.ts';
import type { Selection } from '../../data/selection.ts';
import type { BulkAction } from '../../ui/bulk-dialog.tsx';
import { SelectionBar } from '../../ui/selection-bar.tsx';

type Parked = Answer<'listParkedPayments'>['data'][number];

/** `mara@example.com, $49.00` */
export function parkedInWords({ customer, amount, currency }: Parked): string {
  const { name, email, externalIds, processorCustomerId } = customer;
  return `${name ?? email ?? externalIds[0] ?? processorCustomerId ?? 'Unknown'}, ${formatAmount(amount, currency)}`;
}

const ACTIONS: readonly BulkAction<Parked>[] = [
  {
    words: 'Attribute to a partner',
    look: 'primary',
    question: (count) => `Attribute ${count} to one partner`,
    hint: 'Each becomes a sale, which earns the partner commission. This cannot be undone.',
    asks: 'partner',
    run: ({ id }, partnerId) => call('attributeParkedPayment', { parameters: { id }, body: { partnerId } }),
    done: 'attributed',
  },
];

/** Assigns the selected payments to one partner. */
export function AttributeBar({ selection, rows }: { selection: Selection; rows: readonly Parked[] | undefined }) {
  return (
    <SelectionBar
      selection={selection}
      rows={rows}
      idOf={({ id }) => id}
      nameOf={parkedInWords}
      amountOf={({ amount, currency }) => ({ amount, currency })}
      nouns={['payment', 'payments']}
      actions={ACTIONS}
    />
  );
}
