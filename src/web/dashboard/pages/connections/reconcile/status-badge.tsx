import { Badge, type Tone } from '../../../../parts/badge.tsx';
import { State } from '../../../ui/state.tsx';
import type { ListedReconciliation } from './result-words.ts';

const STATES = {
  waiting: ['Waiting', 'accent'],
  running: ['Running', 'accent'],
  completed: ['Completed', 'good'],
  failed: ['Failed', 'bad'],
  canceled: ['Canceled', 'neutral'],
} as const satisfies Record<ListedReconciliation['status'], readonly [words: string, tone: Tone]>;

/** The status of a reconciliation, and whether it books. */
export function StatusBadge({ run: { status, dryRun } }: { run: Pick<ListedReconciliation, 'status' | 'dryRun'> }) {
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      <State of={STATES} state={status} />
      <Badge>{dryRun ? 'Dry run' : 'Booking'}</Badge>
    </span>
  );
}
