import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { type Amounts, currenciesOf, formatAmount } from '../../parts/money.ts';
import { type BulkProgress, summaryOf, useBulkRun } from '../data/bulk-run.ts';
import type { Selection } from '../data/selection.ts';
import { isSingleKey } from '../shell/shortcuts.ts';
import { type BulkAction, BulkDialog } from './bulk-dialog.tsx';
import { counted, formatCount } from './counted.ts';
import { sumOfRows } from './totals.tsx';

/** As long as other messages; failures stay until they are closed. */
const DONE_SHOWN_MS = 5_000;

interface SelectionBarProps<Row> {
  selection: Selection;
  rows: readonly Row[] | undefined;
  idOf(row: Row): string;
  /** Identifies a row in the list of failures. */
  nameOf(row: Row): string;
  /** The amount of a row, for rows about money. */
  amountOf?(row: Row): { amount: number; currency: string };
  /** `['sale', 'sales']` */
  nouns: readonly [one: string, many: string];
  actions: readonly BulkAction<Row>[];
}

/**
 * What is selected, and what can be done with it; then the progress, and what failed. Nothing while nothing is
 * selected.
 */
export function SelectionBar<Row>({ selection, rows = [], nouns, actions, ...of }: SelectionBarProps<Row>) {
  const ids = useSyncExternalStore(selection.subscribe, selection.read);
  const [asked, setAsked] = useState<BulkAction<Row> | null>(null);
  const { progress, isHeld, start, stop, close } = useBulkRun();
  const bar = useRef<HTMLElement>(null);
  const choices = useRef<HTMLDivElement>(null);
  useActionsKey(choices);
  const chosen = rows.filter((row) => ids.has(of.idOf(row)));
  const isRunning = progress !== null && !progress.isOver;
  useEffect(() => {
    // the button that started it is gone
    if (isRunning) bar.current?.focus();
  }, [isRunning]);
  const isDone = progress?.isOver === true && progress.doneCount === progress.total;
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(close, DONE_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isDone, close]);
  if (chosen.length === 0 && progress === null) return null;
  const countOf = (count: number) => counted(count, ...nouns);
  const confirm = (action: BulkAction<Row>, answer: string) => {
    setAsked(null);
    void start({
      items: chosen.map((row) => ({ id: of.idOf(row), name: of.nameOf(row), row })),
      run: ({ row }) => action.run(row, answer),
      done: (count) => `${countOf(count)} ${action.done}`,
      onDone: ({ id }) => selection.remove(id),
    });
  };
  const { amountOf } = of;
  const sum = amountOf && <Sum amounts={sumOfRows(chosen.map(amountOf), ({ amount }) => amount)} />;
  return (
    <section
      ref={bar}
      tabIndex={-1}
      aria-label="Selection"
      className="sticky bottom-3 z-10 flex flex-col gap-2.5 rounded-lg border border-input bg-popover px-3 py-2.5 text-sm text-popover-foreground shadow-lg"
    >
      <Progress progress={progress} onStop={stop} onClose={close} />
      {!isRunning && chosen.length > 0 && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="flex flex-wrap items-baseline gap-x-3">
            <span className="font-semibold tabular-nums">{countOf(chosen.length)} selected</span>
            {sum}
          </p>
          <div ref={choices} className="ml-auto flex flex-wrap items-center gap-2">
            {actions.map((action) => (
              <Button
                key={action.words}
                size="small"
                look={action.look ?? 'secondary'}
                busy={isHeld}
                onClick={() => setAsked(action)}
                className="h-8"
              >
                {action.words}
              </Button>
            ))}
            <Button size="small" look="quiet" className="h-8" title="Escape" onClick={() => selection.clear()}>
              Clear
            </Button>
          </div>
        </div>
      )}
      {asked && (
        <BulkDialog
          action={asked}
          count={countOf(chosen.length)}
          sum={sum}
          onConfirm={(answer) => confirm(asked, answer)}
          onClose={() => setAsked(null)}
        />
      )}
    </section>
  );
}

/** `a` goes to the actions, which are behind all rows of the list. */
function useActionsKey(choices: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'a' && isSingleKey(event)) choices.current?.querySelector('button')?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [choices]);
}

interface ProgressProps {
  progress: BulkProgress | null;
  onStop(): void;
  onClose(): void;
}

/** The progress; at the end, what was done, and what failed and why. */
function Progress({ progress, onStop, onClose }: ProgressProps) {
  const { total = 0, doneCount = 0, failures = [], isOver = false } = progress ?? {};
  const throughCount = doneCount + failures.length;
  return (
    <>
      {/* stays, so that what is put into it is announced */}
      <div role="status" className="flex items-center gap-2 empty:sr-only">
        {progress !== null && isOver && (
          <>
            <Icon
              name={failures.length === 0 ? 'check' : 'warning'}
              className={`size-4 ${failures.length === 0 ? 'text-success' : 'text-destructive'}`}
            />
            <span className="min-w-0 flex-1">
              {summaryOf(progress, ` and ${failures.length === 1 ? 'is' : 'are'} still selected`)}.
            </span>
            <Button look="quiet" size="tiny" aria-label="Close" onClick={onClose}>
              <Icon name="close" className="size-3" />
            </Button>
          </>
        )}
      </div>
      {progress !== null && !isOver && (
        <div className="flex items-center gap-3">
          <progress
            aria-label="Progress"
            max={total}
            value={throughCount}
            className="h-1.5 min-w-0 flex-1 appearance-none overflow-hidden rounded-full bg-secondary [&::-moz-progress-bar]:bg-primary [&::-webkit-progress-bar]:bg-secondary [&::-webkit-progress-value]:bg-primary"
          />
          <span className="tabular-nums">
            {formatCount(throughCount)} of {formatCount(total)}
          </span>
          <Button size="small" onClick={onStop}>
            Stop
          </Button>
        </div>
      )}
      {failures.length > 0 && (
        <ul aria-label="What failed" tabIndex={0} className="flex max-h-36 flex-col gap-1 overflow-y-auto text-xs">
          {failures.map(({ id, name, message }) => (
            <li key={id} className="wrap-anywhere">
              <span className="font-semibold">{name}</span>: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Sum({ amounts }: { amounts: Amounts }) {
  const texts = currenciesOf(amounts).map((currency) => formatAmount(amounts[currency] ?? 0, currency));
  return <span className="text-muted-foreground tabular-nums">{texts.join(' + ')}</span>;
}
