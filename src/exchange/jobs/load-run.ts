import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** What `run.ts` imports, in parts. Loading all of it at once would hold up other requests for 20 to 60 ms. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('../moved/counted-twice.ts'),
  () => import('../moved/people.ts'),
  () => import('../moved/apply.ts'),
  () => import('../moved/fact-rows.ts'),
  () => import('../import-csv.ts'),
  () => import('../sources/rewardful/index.ts'),
  () => import('../sources/index.ts'),
];

/** Loads what runs imports, in turns with other requests. */
export async function loadRun(): Promise<typeof import('./run.ts')> {
  for (const load of PARTS) {
    await load();
    await yieldToEventLoop();
  }
  return import('./run.ts');
}
