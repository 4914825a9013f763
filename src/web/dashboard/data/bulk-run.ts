import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { showToast } from '../shell/toasts.tsx';
import { formatCount } from '../ui/counted.ts';
import { isUnauthorized, showSignIn } from './client.ts';
import { runAll } from './run-all.ts';
import { useIsShown } from './use-is-shown.ts';
import { useOnce } from './use-once.ts';

/** One item that failed, and why. */
export interface BulkFailure {
  id: string;
  name: string;
  message: string;
}

/** How far a change of many items has got, or how it ended. */
export interface BulkProgress {
  total: number;
  doneCount: number;
  failures: readonly BulkFailure[];
  /** It has ended; items that are neither done nor failed were not started. */
  isOver: boolean;
  /** The message about the items that are done: `3 sales approved`. */
  done(count: number): string;
}

interface Item {
  id: string;
  name: string;
}

export interface BulkChange<Thing extends Item> {
  items: readonly Thing[];
  run(item: Thing): Promise<unknown>;
  done(count: number): string;
  /** Called for each item that is done. */
  onDone(item: Thing): void;
}

/** Changes many items with one request each; every list is read again afterwards. */
export function useBulkRun() {
  const client = useQueryClient();
  const { isHeld, once } = useOnce();
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const stopper = useRef<AbortController | null>(null);
  const isShown = useIsShown();
  // nobody could see or stop the rest
  useEffect(() => () => stopper.current?.abort(), []);
  const change = async <Thing extends Item>({ items, run, done, onDone }: BulkChange<Thing>) => {
    stopper.current = new AbortController();
    const { signal } = stopper.current;
    let now: BulkProgress = { total: items.length, doneCount: 0, failures: [], isOver: false, done };
    const show = (change: Partial<BulkProgress>) => {
      now = { ...now, ...change };
      setProgress(now);
    };
    show({});
    await runAll(items, {
      run,
      signal,
      onSettled(item, error) {
        if (error === null) {
          onDone(item);
          return show({ doneCount: now.doneCount + 1 });
        }
        if (isUnauthorized(error)) showSignIn();
        show({ failures: [...now.failures, { id: item.id, name: item.name, message: error.message }] });
      },
    });
    show({ isOver: true });
    if (!isShown.current) showToast(now.doneCount === now.total ? 'good' : 'bad', summaryOf(now));
    await client.invalidateQueries();
  };
  const start = <Thing extends Item>(changes: BulkChange<Thing>) => once.run(() => change(changes));
  const close = useCallback(() => setProgress(null), []);
  return { progress, isHeld, start, stop: () => stopper.current?.abort(), close };
}

/** `3 sales approved, 1 failed, 2 not started`; `ofFailures` follows the word "failed". */
export function summaryOf({ total, doneCount, failures, done }: BulkProgress, ofFailures = ''): string {
  const restCount = total - doneCount - failures.length;
  const parts = [
    doneCount > 0 && done(doneCount),
    failures.length > 0 && `${formatCount(failures.length)} failed${ofFailures}`,
    restCount > 0 && `${formatCount(restCount)} not started`,
  ];
  return parts.filter(Boolean).join(', ');
}
