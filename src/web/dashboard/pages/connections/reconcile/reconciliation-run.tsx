import { useEffect, useState } from 'react';
import { Link, Redirect } from 'wouter';
import { Button } from '../../../../parts/button.tsx';
import { useChange, useRead } from '../../../data/use-api.ts';
import { ProblemPage } from '../../../shell/problem.tsx';
import { Bone } from '../../../ui/bone.tsx';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { Figures } from '../../../ui/figures.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { Ago, Time } from '../../../ui/values.tsx';
import { PROCESSOR_NAMES } from '../../../ui/words.ts';
import { MissingDeliveries } from './missing-deliveries.tsx';
import { missingOf, type Reconciliation, resultInWords } from './result-words.ts';
import { StatusBadge } from './status-badge.tsx';

const NEWS_MS = 1_000;

interface ReconciliationRunProps {
  id: string;
  endpointId: string;
  /** Whether the reader may start and cancel. */
  mayChange: boolean;
  /** Starts another one; null when that is not possible now. */
  onStart: ((since: string, dryRun: boolean) => void) | null;
  isStarting: boolean;
  /** Why another one could not be started. */
  error: Error | null;
  onClose(): void;
  /** Called once when it has ended. */
  onEnd(id: string): void;
}

/** One reconciliation, from its start to its result. */
export function ReconciliationRun({ id, endpointId, onEnd, ...props }: ReconciliationRunProps) {
  const [hasEnded, setEnded] = useState(false);
  const refetchInterval = hasEnded ? false : NEWS_MS;
  const { data: run, error, refetch } = useRead('getReconciliation', { parameters: { id } }, { refetchInterval });
  const isOver = run !== undefined && run.endedAt !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once
  useEffect(() => {
    if (!isOver) return;
    setEnded(true);
    onEnd(id);
  }, [isOver]);
  if (error) {
    return (
      <ProblemPage error={error} retry={refetch}>
        <Button onClick={props.onClose}>Close</Button>
      </ProblemPage>
    );
  }
  if (run === undefined) return <Bone className="h-40 w-full" />;
  if (run.endpointId !== endpointId) {
    return <Redirect to={`/connections/${run.endpointId}?reconciliation=${id}`} replace />;
  }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-col gap-1">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm font-medium">
          <span>
            Since <Time iso={run.since} />
          </span>
          <StatusBadge run={run} />
        </p>
        <p className="text-xs text-muted-foreground">
          <Ago iso={run.createdAt} /> by <bdi>{run.createdBy.name}</bdi>
        </p>
      </div>
      {/* announced when it changes, unlike the counts, which do so every second */}
      <div role="status" className="flex flex-col gap-1 text-sm">
        {isOver ? <Result run={run} /> : <p>{stageInWords(run)}</p>}
      </div>
      {!isOver && <Progress run={run} />}
      {run.status === 'failed' && run.error !== null && <Problem text={run.error} />}
      <MissingDeliveries run={run} />
      {props.error && isOver && <Problem text={props.error.message} />}
      <Actions run={run} {...props} />
    </div>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <p role="alert" className="rounded-md bg-danger-surface px-3 py-2 text-sm text-destructive">
      {text}
    </p>
  );
}

/** What it does now, or waits for. */
function stageInWords({ status, error, startedAt, processor }: Reconciliation): string {
  if (status === 'running') return `Reads what ${PROCESSOR_NAMES[processor]} says happened…`;
  if (error !== null) return `Waits, and tries again by itself. ${error}`;
  return startedAt === null ? 'Starts in a moment…' : 'Continues in a moment…';
}

function Progress({ run: { counts } }: { run: Reconciliation }) {
  const { read, known, ignored } = counts;
  const figures = [
    { words: 'read', count: read },
    { words: 'known', count: known },
    ...(ignored > 0 ? [{ words: 'do not count', count: ignored }] : []),
    { words: 'missing', count: missingOf(counts) },
  ];
  return (
    <>
      <ProgressBar label="Reconciliation" />
      <Figures figures={figures} />
    </>
  );
}

function Result({ run }: { run: Reconciliation }) {
  return (
    <>
      <p className="font-medium">{resultInWords(run)}</p>
      <p className="text-muted-foreground empty:hidden">
        <Consequence run={run} />
      </p>
      <NotRead run={run} />
    </>
  );
}

/** What the access token may not read, and why. */
function NotRead({ run: { notRead } }: { run: Reconciliation }) {
  if (notRead.length === 0) return null;
  return (
    <ul aria-label="Not read" className="flex flex-col gap-1 text-muted-foreground">
      {notRead.map(({ what, reason }) => (
        <li key={what}>
          Not read: {what}. Why: {reason}.
        </li>
      ))}
    </ul>
  );
}

/** What was stored, and what happens to it next. */
function Consequence({ run: { status, dryRun, counts } }: { run: Reconciliation }) {
  const missing = missingOf(counts);
  if (status !== 'completed') {
    if (dryRun || missing === 0) return 'Nothing was booked.';
    return 'What was booked before stays. It can be started again: nothing counts twice.';
  }
  if (missing === 0) return null;
  if (dryRun) return 'Nothing was booked.';
  const { unattributed, failed } = counts;
  const left = unattributed + failed;
  return (
    <>
      {left < missing && (left === 0 ? 'All of it is booked.' : 'The rest is booked. ')}
      {unattributed > 0 && (
        <>
          Payments whose customer is unknown wait in{' '}
          <Link href="/unattributed" className="text-primary underline">
            Unattributed
          </Link>
          .{' '}
        </>
      )}
      {failed > 0 && 'What could not be processed is tried again by itself.'}
    </>
  );
}

function Actions({
  run: { id, since, dryRun, status, endedAt, counts },
  mayChange,
  onStart,
  isStarting,
  onClose,
}: Omit<ReconciliationRunProps, 'id' | 'endpointId' | 'onEnd' | 'error'> & { run: Reconciliation }) {
  const cancel = useChange('cancelReconciliation', { done: 'Canceled' });
  if (endedAt === null) {
    return (
      mayChange && (
        <div>
          <ConfirmButton
            words="Cancel"
            question="Really cancel?"
            look="secondary"
            busy={cancel.isPending}
            onConfirm={() => cancel.mutate({ parameters: { id } })}
          />
        </div>
      )
    );
  }
  const hasFound = status === 'completed' && dryRun && missingOf(counts) > 0;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {onStart && hasFound && (
        <Button look="primary" busy={isStarting} onClick={() => onStart(since, false)}>
          Book what is missing
        </Button>
      )}
      {onStart && status !== 'completed' && (
        <Button look="primary" busy={isStarting} onClick={() => onStart(since, dryRun)}>
          Start it again
        </Button>
      )}
      <Button onClick={onClose}>{onStart ? 'Another period' : 'Close'}</Button>
      {onStart && hasFound && (
        <p className="w-full text-xs text-muted-foreground">It is safe to repeat: nothing counts twice.</p>
      )}
    </div>
  );
}
