import { type Answer, call, type OperationId } from '../../../parts/api.ts';
import { formatAmount } from '../../../parts/money.ts';
import type { Selection } from '../../data/selection.ts';
import type { StripeConnection } from '../../data/stripe.ts';
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

const SEND: BulkAction<Payout> = {
  words: 'Send by Stripe',
  look: 'primary',
  question: (count) => `Send ${count} by Stripe?`,
  hint: 'Each goes to the account that its partner has at Stripe. Those that Stripe cannot pay are named with the reason, and stay as they are. What is on its way cannot be stopped.',
  run: ({ id }) => call('sendPayout', { parameters: { id } }),
  done: 'being sent',
};

const TEST_HINT = ' Stripe is in test mode: no real money moves, but what is sent counts as paid here.';

const ENDS: readonly [BulkAction<Payout>, BulkAction<Payout>] = [
  {
    words: 'Mark as paid',
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

interface EndBarProps {
  selection: Selection;
  rows: readonly Payout[] | undefined;
  /** What can send them; null if nothing is connected, undefined until that is known. */
  stripe: StripeConnection | null | undefined;
  /** Called when some are being sent. */
  onSend(): void;
}

/** Sends the selected payouts, or sets their outcome. */
export function EndBar({ selection, rows, stripe, onSend }: EndBarProps) {
  return (
    <SelectionBar
      selection={selection}
      rows={rows}
      idOf={({ id }) => id}
      nameOf={payoutInWords}
      amountOf={({ amount, currency }) => ({ amount, currency })}
      nouns={['payout', 'payouts']}
      actions={actionsWith(stripe, onSend)}
    />
  );
}

function actionsWith(stripe: StripeConnection | null | undefined, onSend: () => void): BulkAction<Payout>[] {
  const [paid, ...others] = ENDS;
  if (!stripe) return [{ ...paid, look: 'primary' }, ...others];
  const hint = stripe.mode === 'test' ? SEND.hint + TEST_HINT : SEND.hint;
  return [{ ...SEND, hint, run: (payout, answer) => SEND.run(payout, answer).finally(onSend) }, ...ENDS];
}
