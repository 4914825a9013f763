import { EXIT } from './exit-codes.ts';
import { note } from './output.ts';

/**
 * While `work` runs, Ctrl-C ends the process at once and prints a sentence.
 *
 * @param sentence what the person should know: what was changed, and what to do
 * @param cleanUp removes what must not stay behind; synchronous, because the process ends right after it
 */
export async function interruptible<T>(
  { sentence, cleanUp }: { sentence: string; cleanUp?: () => void },
  work: () => Promise<T>,
): Promise<T> {
  const interrupt = () => {
    cleanUp?.();
    note(`\n${sentence}`);
    process.exit(EXIT.interrupted);
  };
  process.once('SIGINT', interrupt);
  try {
    return await work();
  } finally {
    process.off('SIGINT', interrupt);
  }
}
