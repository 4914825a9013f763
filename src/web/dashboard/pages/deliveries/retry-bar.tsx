import { type Answer, call } from '../../../parts/api.ts';
import { formatTime } from '../../../parts/time.ts';
import type { Selection } from '../../data/selection.ts';
import type { BulkAction } from '../../ui/bulk-dialog.tsx';
import { SelectionBar } from '../../ui/selection-bar.tsx';

type Delivery = Answer<'listDeliveries'>['data'][number];

/** `invoice.paid, 22 Nov, 16:25` */
export function deliveryInWords({ eventType, receivedAt }: Delivery): string {
  return `${eventType ?? 'Delivery'}, ${formatTime(receivedAt)}`;
}

const ACTIONS: readonly BulkAction<Delivery>[] = [
  {
    words: 'Process again',
    look: 'primary',
    question: (count) => `Process ${count} again?`,
    hint: 'Nothing counts twice. Deliveries that fail again say why, and stay in the list.',
    run: processAgain,
    done: 'processed',
  },
];

/** A delivery that failed again got an answer, but was not processed. */
async function processAgain({ id }: Delivery): Promise<void> {
  const { outcome } = await call('retryDelivery', { parameters: { id } });
  if (outcome !== 'failed') return;
  const { reason } = await call('getDelivery', { parameters: { id } });
  throw new Error(reason ?? 'It failed again.');
}

/** Processes the chosen deliveries again. */
export function RetryBar({ selection, rows }: { selection: Selection; rows: readonly Delivery[] | undefined }) {
  return (
    <SelectionBar
      selection={selection}
      rows={rows}
      idOf={({ id }) => id}
      nameOf={deliveryInWords}
      nouns={['delivery', 'deliveries']}
      actions={ACTIONS}
    />
  );
}
