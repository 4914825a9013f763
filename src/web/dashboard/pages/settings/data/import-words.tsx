import { Badge, type Tone } from '../../../../parts/badge.tsx';
import { State } from '../../../ui/state.tsx';
import { type ListedImport, serviceOf } from './import-values.ts';

const STATES = {
  uploading: ['Uploading', 'accent'],
  waiting: ['Waiting', 'accent'],
  running: ['Running', 'accent'],
  completed: ['Completed', 'good'],
  failed: ['Failed', 'bad'],
  canceled: ['Canceled', 'neutral'],
} as const satisfies Record<ListedImport['status'], readonly [words: string, tone: Tone]>;

/** `Partners from a CSV file`, `Rewardful` */
export function sourceWords({ source, kind }: Pick<ListedImport, 'source' | 'kind'>): string {
  if (kind === null) return serviceOf(source)?.title ?? source;
  return `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} from a CSV file`;
}

/** The status of an import, and whether it was a dry run. */
export function StatusBadge({ run: { status, dryRun } }: { run: Pick<ListedImport, 'status' | 'dryRun'> }) {
  return (
    <span className="inline-flex gap-1.5">
      <State of={STATES} state={status} />
      {dryRun && <Badge>Dry run</Badge>}
    </span>
  );
}
