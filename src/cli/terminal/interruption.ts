import { constants } from 'node:os';
import { note } from './output.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * While `work` runs, Ctrl-C, SIGTERM and the end of the terminal end the process at once, and it prints a sentence. The
 * exit code is the one that shells report of a process that the signal ended.
 *
 * @param sentence what the person should know: what was changed, and what to do
 * @param cleanUp removes what must not stay behind; synchronous, because the process ends right after it
 */
export async function interruptible<T>(
  { sentence, cleanUp }: { sentence: string; cleanUp?: () => void },
  work: () => Promise<T>,
): Promise<T> {
  const interrupt = (signal: NodeJS.Signals) => {
    cleanUp?.();
    note(`\n${sentence}`);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
