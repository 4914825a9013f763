import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PayoutId } from '../core/ids.ts';
import type { PayoutStatus } from '../core/payout.ts';
import type { Database, Transaction } from '../storage/database.ts';
import {
  findNextEntries,
  findSettling,
  findSettlingOf,
  giveBack,
  lockSettling,
  markPaid,
  type SettlingPayout,
  updateSettling,
} from './queries/settle.ts';
import { SLICE_ENTRIES } from './slice.ts';

const PAGE_SIZE = 20;

/**
 * Finishes settling ended payouts: marks their entries as paid, or makes them open again, slice by slice. All sums were
 * moved when the payout ended. May be interrupted and may run concurrently.
 *
 * @param accountId null for all accounts
 * @param workMsMax returns after this time even if something is left; another call finishes it
 */
export async function finishSettling(
  { database }: Service,
  accountId: AccountId | null,
  workMsMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  const endsAt = performance.now() + workMsMax;
  for (;;) {
    const settling = await database.read((tx) =>
      accountId === null ? findSettling(tx, PAGE_SIZE) : findSettlingOf(tx, accountId, PAGE_SIZE),
    );
    if (settling.length === 0) return;
    for (const payout of settling) if (!(await settleUntil(database, payout, endsAt))) return;
  }
}

/** Settles a payout. Returns false when time ran out first. */
async function settleUntil(
  database: Database,
  { id, partnerId, currency }: SettlingPayout,
  endsAt: number,
): Promise<boolean> {
  const settleNext = async (tx: Transaction) => {
    await tx.claim(() => [claimKeys.payout(partnerId, currency)]);
    return settleSlice(tx, id);
  };
  while (performance.now() < endsAt) {
    if (await database.write(settleNext, { alone: true })) return true;
    await yieldToEventLoop();
  }
  return false;
}

/** Settles the next entries of a payout. Returns true when none are left. The caller has claimed the payout. */
export async function settleSlice(tx: Transaction, id: PayoutId): Promise<boolean> {
  const payout = await lockSettling(tx, id);
  if (!payout) return true;
  return settleEntries(tx, id, payout);
}

/** Like `settleSlice`, for a payout that is locked. */
export async function settleEntries(
  tx: Transaction,
  id: PayoutId,
  { status, settlingAfter: after }: { status: PayoutStatus; settlingAfter: string },
): Promise<boolean> {
  const { lastId, count } = await findNextEntries(tx, id, after, SLICE_ENTRIES);
  if (lastId !== null) {
    const range = { id, after, to: lastId };
    if (status === 'paid') await markPaid(tx, range);
    // a queued payout may collect the same entry again
    else await giveBack(tx, range, status === 'queued');
  }
  const isLast = count < SLICE_ENTRIES;
  await updateSettling(tx, id, isLast ? null : lastId);
  return isLast;
}
