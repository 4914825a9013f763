import { startTimer } from './timer.ts';

/** Whether the work, which never rejects, ends within this time. The wait keeps no process alive. */
export function endsWithin(work: Promise<void>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = startTimer(() => resolve(false), ms);
    work.then(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
