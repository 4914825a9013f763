import { type Answer, call } from '../../../parts/api.ts';
import { formatAmount } from '../../../parts/money.ts';
import type { Selection } from '../../data/selection.ts';
import type { BulkAction } from '../../ui/bulk-dialog.tsx';
import { customerName } from '../../ui/customer-name.ts';
import { SelectionBar } from '../../ui/selection-bar.tsx';

type Sale = Answer<'listSales'>['data'][number];

/** `Mara Lindqvist, $49.00` */
export function saleInWords({ customer, amount, currency }: Sale): string {
  return `${customerName(customer)}, ${formatAmount(amount, currency)}`;
}

const REASON = { note: 'Reason', hint: 'Kept with each sale. Optional.' };

const ACTIONS: readonly BulkAction<Sale>[] = [
  {
    words: 'Approve',
    look: 'primary',
    question: (count) => `Approve ${count}?`,
    hint: 'Their commission is paid like any other. This cannot be undone.',
    asks: REASON,
    run: ({ id }, reason) => call('approveSale', { parameters: { id }, body: { reason: reason || null } }),
    done: 'approved',
  },
  {
    words: 'Reject',
    look: 'danger',
    question: (count) => `Reject ${count}?`,
    hint: 'Their commission is reversed in full. This cannot be undone.',
    asks: REASON,
    run: ({ id }, reason) => call('rejectSale', { parameters: { id }, body: { reason: reason || null } }),
    done: 'rejected',
  },
];

/** Decides about all selected sales. */
export function ReviewBar({ selection, rows }: { selection: Selection; rows: readonly Sale[] | undefined }) {
  return (
    <SelectionBar
      selection={selection}
      rows={rows}
      idOf={({ id }) => id}
      nameOf={saleInWords}
      amountOf={({ amount, currency }) => ({ amount, currency })}
      nouns={['sale', 'sales']}
      actions={ACTIONS}
    />
  );
}
