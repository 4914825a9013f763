import { useEffect, useState } from 'react';
import { Button } from '../../../../parts/button.tsx';
import { formatShare } from '../../../../parts/percent.ts';
import { useChange, useRead } from '../../../data/use-api.ts';
import { ProblemPage } from '../../../shell/problem.tsx';
import { Bone } from '../../../ui/bone.tsx';
import { ConfirmButton } from '../../../ui/confirm-button.tsx';
import { counted } from '../../../ui/counted.ts';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { ImportCounts } from './import-counts.tsx';
import type { Run } from './import-values.ts';
import { StatusBadge, sourceWords } from './import-words.tsx';
import { ProblemRows } from './problem-rows.tsx';

const NEWS_MS = 1_000;

interface ImportRunProps {
  id: string;
  /** Its file is being sent from here. */
  isSending: boolean;
  /** Why its file could not be sent. */
  sendError: Error | null;
  /** Repeats a dry run as a real import; null when the form is no longer filled in. */
  onRepeat: (() => void) | null;
  onClose(): void;
  /** Called once when it has ended. */
  onEnd(run: Run): void;
}

/** One import, from its upload to its report. */
export function ImportRun({ id, isSending, sendError, onRepeat, onClose, onEnd }: ImportRunProps) {
  const [endedId, setEndedId] = useState<string | null>(null);
  const refetchInterval = endedId === id ? false : NEWS_MS;
  const { data, error, refetch } = useRead('getImport', { parameters: { id } }, { refetchInterval });
  const run = data?.id === id ? data : undefined;
  const hasEnded = run !== undefined && run.endedAt !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each import
  useEffect(() => {
    if (!hasEnded) return;
    setEndedId(id);
    onEnd(run);
  }, [hasEnded, id]);
  if (error) {
    return (
      <ProblemPage error={error} retry={refetch}>
        <Button onClick={onClose}>New import</Button>
      </ProblemPage>
    );
  }
  if (run === undefined) return <Bone className="h-40 w-full" />;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <span className="font-medium">{sourceWords(run)}</span>
        <StatusBadge run={run} />
      </div>
      {run.endedAt === null ? <Progress run={run} isSending={isSending} /> : <Outcome run={run} />}
      {sendError && <Problem text={`The file could not be sent: ${sendError.message}`} />}
      {run.error && <Problem text={run.error} />}
      <ImportCounts run={run} />
      <ProblemRows title="Refused" rows={run.refusedRows} total={run.counts?.refused ?? 0} />
      <ProblemRows title="Left out" rows={run.leftOutRows} total={run.counts?.leftOut ?? 0} />
      <Actions run={run} onRepeat={onRepeat} onClose={onClose} />
    </div>
  );
}

function Problem({ text }: { text: string }) {
  return (
    <p role="alert" className="rounded-md bg-danger-surface px-3 py-2 text-sm break-words text-destructive">
      {text}
    </p>
  );
}

/** The progress; indeterminate when the service does not say how much there is. */
function Progress({ run: { status, file, progress }, isSending }: Pick<ImportRunProps, 'isSending'> & { run: Run }) {
  const isUpload = status === 'uploading' && file !== null;
  const share = isUpload ? file.receivedBytes / file.bytes : (progress?.share ?? null);
  const percent = share === null ? undefined : Math.round(share * 100);
  const upload = isSending ? 'Sending the file' : 'Waits for its file, which this page is not sending';
  const words = isUpload ? upload : progress === null ? 'Starts in a moment' : counted(progress.rows, 'row');
  return (
    <div className="flex flex-col gap-1.5">
      <ProgressBar label={isUpload ? 'File sent' : 'File imported'} percent={percent} />
      <p className="flex justify-between gap-3 text-xs text-muted-foreground tabular-nums">
        <span>{words}</span>
        {percent !== undefined && <span>{formatShare(percent / 100)}</span>}
      </p>
    </div>
  );
}

function Outcome({ run: { status, dryRun, attempts } }: { run: Run }) {
  const again = attempts > 1 ? ' It was interrupted and started again: what it had already stored is “unchanged”.' : '';
  const words = {
    completed: dryRun ? 'A dry run: nothing was stored.' : `Imported.${again}`,
    canceled: dryRun
      ? 'Canceled; nothing was stored.'
      : 'Canceled. What it stored stays, and the same import continues from there.',
    failed: dryRun ? 'Nothing was stored.' : 'What it stored before stays, and the same import continues from there.',
  }[status as 'completed'];
  return <p className="text-sm text-muted-foreground">{words}</p>;
}

function Actions({ run, onRepeat, onClose }: { run: Run } & Pick<ImportRunProps, 'onRepeat' | 'onClose'>) {
  const cancel = useChange('cancelImport', { done: 'Canceled' });
  if (run.endedAt === null) {
    return (
      <div>
        <ConfirmButton
          words="Cancel the import"
          question="Really cancel?"
          busy={cancel.isPending}
          onConfirm={() => cancel.mutate({ parameters: { id: run.id } })}
        />
      </div>
    );
  }
  const isTried = run.dryRun && run.status === 'completed';
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isTried && onRepeat !== null && (
        <Button look="primary" onClick={onRepeat}>
          Import for real
        </Button>
      )}
      <Button onClick={onClose}>{isTried && onRepeat !== null ? 'Back to the form' : 'New import'}</Button>
      {isTried && onRepeat === null && (
        <span className="text-sm text-muted-foreground">To import it for real, fill in the form once more.</span>
      )}
    </div>
  );
}
