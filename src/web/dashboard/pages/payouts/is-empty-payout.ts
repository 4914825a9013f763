import type { Answer } from '../../../parts/api.ts';

type Payout = Answer<'listPayouts'>['data'][number];

/** Whether it collects nothing yet, like the payout that follows a run. */
export function isEmptyPayout({ status, entryCount }: Pick<Payout, 'status' | 'entryCount'>): boolean {
  return status === 'queued' && entryCount === 0;
}
