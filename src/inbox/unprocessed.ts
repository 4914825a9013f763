import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { countOverdue, countUnprocessed } from './queries/unprocessed.ts';

/** A number of deliveries, and the reason of the newest one. */
export interface CountWithReason {
  count: number;
  reason: string | null;
}

/** The deliveries of an account that are not processed. */
export interface Unprocessed {
  /** Will be retried. Includes overdue deliveries. */
  failed: CountWithReason;
  /** Failed, and due before `overdueSince`. */
  overdue: CountWithReason;
  /** Given up. */
  dead: CountWithReason;
}

const NONE: CountWithReason = { count: 0, reason: null };

/** @param overdueSince epoch milliseconds */
export function summarizeUnprocessed(
  { database }: Service,
  accountId: AccountId,
  overdueSince: number,
): Promise<Unprocessed> {
  return database.report(async (tx) => {
    const counts = await countUnprocessed(tx, accountId);
    const of = (status: string) => counts.find((row) => row.status === status) ?? NONE;
    const overdue = (await countOverdue(tx, accountId, overdueSince)) ?? NONE;
    return { failed: of('failed'), overdue, dead: of('dead') };
  });
}
