import { Badge, type Tone } from '../../../../parts/badge.tsx';
import { type ListedImport, serviceOf } from './import-values.ts';

const TONES: Readonly<Record<ListedImport['status'], Tone>> = {
  uploading: 'accent',
  waiting: 'accent',
  running: 'accent',
  completed: 'good',
  failed: 'bad',
  canceled: 'neutral',
};

/** `Partners from a CSV file`, `Rewardful` */
export function sourceWords({ source, kind }: Pick<ListedImport, 'source' | 'kind'>): string {
  if (kind === null) return serviceOf(source)?.title ?? source;
  return `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)} from a CSV file`;
}

/** The status of an import, and whether it was a dry run. */
export function StatusBadge({ run: { status, dryRun } }: { run: Pick<ListedImport, 'status' | 'dryRun'> }) {
  return (
    <span className="inline-flex gap-1.5">
      <Badge tone={TONES[status]}>{status}</Badge>
      {dryRun && <Badge>dry run</Badge>}
    </span>
  );
}
