import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import { type Actor, actorName } from '../core/actor.ts';
import type { AccountId, PartnerId, PayoutId, ProgramId } from '../core/ids.ts';
import { UNDECIDED_DUE_AT } from '../core/ledger.ts';
import { isWorthPaying } from '../core/payout.ts';
import type { Transaction } from '../storage/database.ts';
import { addAmounts, SumOutOfRange } from './out-of-range.ts';
import { recordPayoutEvent } from './payout-events.ts';
import {
  assignRange,
  isAnyGivenBack,
  type LockedPayout,
  lockQueued,
  startPayout,
  updateCollected,
} from './queries/collect.ts';
import { type DuePlace, type DueRange, findPlace, sumRange } from './queries/due.ts';
import type { PayoutSum } from './queries/queued.ts';
import { beginSettling, moveDays } from './queries/settle.ts';
import { queuePayout } from './queue.ts';
import type { RunPayout } from './schemas.ts';
import { settleSlice } from './settle.ts';
import { SLICE_ENTRIES } from './slice.ts';

/** A queued payout to be started with the entries that are due. */
export interface Collectable {
  id: PayoutId;
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  currency: string;
  minimumMinor: number | undefined;
}

/** Epoch milliseconds; `to` is the start of the next one, after which a clock that was ahead may have started payouts. */
export interface SchedulePeriod {
  from: number;
  to: number;
}

export interface CollectOptions {
  /** The time at which a hold must be over. A payout that another run has begun to collect keeps that run's time. */
  at: number;
  actor: Actor;
  /** Starts nothing for a partner whose payout was started in this period and failed or was canceled. */
  once?: SchedulePeriod | undefined;
  /** Called with the number of entries collected so far, unless the payout starts at once. */
  onSlice?: (entryCount: number) => void;
}

export const DUE_BEGIN: DuePlace = { dueAt: -1, entryId: '' };

/** Everything that is due at `at`. Entries that wait for a review are never included. */
export const dueAtLast = (at: number): DuePlace => ({ dueAt: Math.min(at + 1, UNDECIDED_DUE_AT), entryId: '' });

/** A payout that a run started, for a caller who knows its partner. */
type Started = Omit<RunPayout, 'partnerName'>;

/** `more`: another slice follows. `none`: nothing is to pay, or another run was faster. */
type Collected = { state: 'started'; payout: Started } | { state: 'more'; entryCount: number } | { state: 'none' };

/**
 * Collects what is due and starts the payout. Returns null when another run was faster, or when refunds that arrived in
 * between leave nothing to pay. Up to a slice of entries takes one unit of work; more entries take several. Until the
 * last one, the payout stays queued with the same amount, and any run can continue where this one stopped.
 *
 * @throws SumOutOfRange
 */
export async function collectPayout(
  service: Service,
  payout: Collectable,
  { onSlice = () => {}, ...options }: CollectOptions,
): Promise<Started | null> {
  for (;;) {
    const now = service.clock();
    const collected = await service.database.write((tx) => collectSlice(tx, payout, { ...options, now }), {
      alone: true,
    });
    if (collected.state === 'started') return collected.payout;
    if (collected.state === 'none') return null;
    onSlice(collected.entryCount);
    await yieldToEventLoop();
  }
}

async function collectSlice(
  tx: Transaction,
  payout: Collectable,
  { at, actor, once, now }: Omit<CollectOptions, 'onSlice'> & { now: number },
): Promise<Collected> {
  const { id, partnerId, currency, minimumMinor } = payout;
  await tx.claim(() => [claimKeys.payout(partnerId, currency)]);
  const queued = await lockQueued(tx, id);
  if (!queued) return { state: 'none' };
  if (queued.settlingAfter !== null)
    return (await settleSlice(tx, id)) ? { state: 'none' } : { state: 'more', entryCount: 0 };
  const isFirst = queued.collectingAt === null;
  // a queued payout is created when the one before it is started
  const mayRepeat = isFirst && once !== undefined && queued.createdAt >= once.from;
  if (mayRepeat && (await isAnyGivenBack(tx, payout, once))) return { state: 'none' };
  const collectingAt = queued.collectingAt ?? at;
  const { range, isLast } = await nextSlice(tx, payout, queued, collectingAt);
  const slice = await sumRange(tx, range);
  const amount = addAmounts(queued.collectedAmount, slice.amount);
  if (queued.amount === null || slice.amount === null || amount === null) throw new SumOutOfRange(currency);
  const sum = {
    amount,
    entryCount: queued.collectedCount + slice.entryCount,
  };
  if (isFirst && isLast && !isWorthPaying(slice.amount, minimumMinor)) return { state: 'none' };
  if (isLast && !isWorthPaying(sum.amount, undefined)) return abandon(tx, payout);
  if (slice.entryCount > 0) await assignRange(tx, id, range);
  if (!isLast) {
    await updateCollected(tx, id, { collectingAt, ...sum });
    return { state: 'more', entryCount: sum.entryCount };
  }
  noteChange(tx, { resourceId: id, before: { status: 'queued' }, after: { status: 'processing', currency, ...sum } });
  await startPayout(tx, { id, ...sum, processingAt: now, processingBy: actorName(actor) });
  await recordPayoutEvent(tx, 'payout.processing', { accountId: payout.accountId, id, occurredAt: now });
  await queueRest(
    tx,
    payout,
    { amount: queued.amount - sum.amount, entryCount: queued.entryCount - sum.entryCount },
    now,
  );
  return { state: 'started', payout: { id, programId: payout.programId, partnerId, currency, ...sum } };
}

/**
 * The first entries that are due, at most a slice. Always starts at the beginning, because more may have become due
 * since the last slice.
 */
async function nextSlice(
  tx: Transaction,
  { partnerId, currency }: Collectable,
  { entryCount, collectedCount }: LockedPayout,
  collectingAt: number,
): Promise<{ range: DueRange; isLast: boolean }> {
  const due = { partnerId, currency, after: DUE_BEGIN, to: dueAtLast(collectingAt) };
  if (entryCount - collectedCount <= SLICE_ENTRIES) return { range: due, isLast: true };
  const last = await findPlace(tx, due, SLICE_ENTRIES);
  return last ? { range: { ...due, to: last }, isLast: false } : { range: due, isLast: true };
}

/** Refunds have used up what was collected. Gives all of it back, slice by slice. */
async function abandon(tx: Transaction, { id, partnerId, currency }: Collectable): Promise<Collected> {
  await beginSettling(tx, id);
  await moveDays(tx, { id, partnerId, currency }, 'open');
  return { state: 'more', entryCount: 0 };
}

/** There must always be a queued payout, because a concurrent sale may rely on the one that was just started. */
function queueRest(tx: Transaction, payout: Collectable, rest: PayoutSum, now: number): Promise<void> {
  const { accountId, programId, partnerId, currency } = payout;
  return queuePayout(tx, { accountId, programId, partnerId, currency, createdAt: now }, rest);
}
