import { type Answer, call, type OperationId } from '../../../parts/api.ts';
import { formatAmount } from '../../../parts/money.ts';
import type { Selection } from '../../data/selection.ts';
import type { BulkAction } from '../../ui/bulk-dialog.tsx';
import { SelectionBar } from '../../ui/selection-bar.tsx';

type Payout = Answer<'listPayouts'>['data'][number];
type Ending = Extract<OperationId, 'markPayoutPaid' | 'markPayoutFailed'>;

/** `Ana, $49.00` */
export function payoutInWords({ partnerName, amount, currency }: Payout): string {
  return `${partnerName}, ${formatAmount(amount, currency)}`;
}

const endBy =
  (ending: Ending) =>
  ({ id }: Payout, note: string) =>
    call(ending, { parameters: { id }, body: { note: note || null } });

const ACTIONS: readonly BulkAction<Payout>[] = [
  {
    words: 'Mark as paid',
    look: 'primary',
    question: (count) => `Mark ${count} as paid?`,
    hint: 'Only if the partners received the money. This cannot be undone.',
    asks: { note: 'Note', hint: "The bank's reference, recorded on each of them. Optional." },
    run: endBy('markPayoutPaid'),
    done: 'marked as paid',
  },
  {
    words: 'Mark as failed',
    look: 'danger',
    question: (count) => `Mark ${count} as failed?`,
    hint: 'Only if the bank or provider refused them: their entries wait for the next run. This cannot be undone.',
    asks: { note: 'Note', hint: 'The reason, recorded on each of them. Optional.' },
    run: endBy('markPayoutFailed'),
    done: 'marked as failed',
  },
];

/** Sets the outcome of the selected payouts. */
export function EndBar({ selection, rows }: { selection: Selection; rows: readonly Payout[] | undefined }) {
  return (
    <SelectionBar
      selection={selection}
      rows={rows}
      idOf={({ id }) => id}
      nameOf={payoutInWords}
      amountOf={({ amount, currency }) => ({ amount, currency })}
      nouns={['payout', 'payouts']}
      actions={ACTIONS}
    />
  );
}
