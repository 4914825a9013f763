import { Part } from '../../../ui/split.tsx';
import { Ago, Time } from '../../../ui/values.tsx';
import { type ListedReconciliation, shortResult } from './result-words.ts';
import { StatusBadge } from './status-badge.tsx';

const SHOWN_MAX = 5;

interface EarlierReconciliationsProps {
  /** Those of this connection, the newest first. */
  runs: readonly ListedReconciliation[];
  openId: string | null;
  onOpen(id: string): void;
}

/** The latest reconciliations of a connection; a click opens a result. */
export function EarlierReconciliations({ runs, openId, onOpen }: EarlierReconciliationsProps) {
  const earlier = runs.filter(({ id }) => id !== openId).slice(0, SHOWN_MAX);
  if (earlier.length === 0) return null;
  return (
    <Part title="Earlier reconciliations">
      <ul className="divide-y rounded-md border text-sm">
        {earlier.map((run) => (
          <li key={run.id}>
            <button
              type="button"
              onClick={() => onOpen(run.id)}
              className="flex w-full flex-col gap-1 px-3 py-2 text-left hover:bg-secondary"
            >
              <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <span className="min-w-0 flex-1 basis-32">
                  Since <Time iso={run.since} />
                </span>
                <StatusBadge run={run} />
              </span>
              <span className="flex flex-wrap gap-x-3 text-xs text-muted-foreground">
                <span className="tabular-nums empty:hidden">{shortResult(run)}</span>
                <span>
                  <Ago iso={run.createdAt} /> by <bdi>{run.createdBy.name}</bdi>
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Part>
  );
}
