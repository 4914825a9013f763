import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { allPages } from '../app/all-pages.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isWorthPaying } from '../core/payout.ts';
import { DUE_BEGIN, dueAtLast } from './collect.ts';
import { addAmounts } from './out-of-range.ts';
import { findCollecting, findPlace, findQueued, type QueuedCandidate, sumRange } from './queries/due.ts';
import type { LargeSum, PayoutSum } from './queries/queued.ts';
import { SLICE_ENTRIES } from './slice.ts';

/** The deadline is long, because a run cannot ask for less data. */
const READING = { deadlineMs: 60_000 };
const PAGE_SIZE = 500;
/** The maximum number of open entries that one query adds up. */
const ENTRIES_PER_QUERY = 10_000;
/** After this time, the run yields to other work of the event loop. */
const TURN_MS = 5;
/** The maximum number of payouts per commit. At a million customers, each of them takes about 1 ms, which requests wait. */
const GROUP_PAYOUTS_MAX = 6;

/** A queued payout with the sum of what is due. */
export type Candidate = QueuedCandidate & { due: PayoutSum };

/** Called with each payout whose entries add up to more than a payout can hold. Such a payout is not a candidate. */
type OnOutOfRange = (payout: QueuedCandidate) => void;

/**
 * The payouts that an earlier run has begun to collect, with the amount each would pay. That run may belong to a
 * process that was killed.
 */
export async function* collectingPayouts(
  service: Service,
  accountId: AccountId,
  onOutOfRange: OnOutOfRange,
): AsyncGenerator<Candidate> {
  for (const payout of await service.database.report((tx) => findCollecting(tx, accountId), READING)) {
    const due = await sumDue(service, payout, payout.collectingAt ?? 0);
    if (isInRange(due)) yield { ...payout, due };
    else onOutOfRange(payout);
  }
}

/** The queued payouts whose entries due at `at` are worth paying, oldest first. */
export async function* payoutsWorthPaying(
  service: Service,
  accountId: AccountId,
  at: number,
  onOutOfRange: OnOutOfRange,
): AsyncGenerator<Candidate> {
  let turnEndsAt = performance.now() + TURN_MS;
  const pages = allPages(PAGE_SIZE, (page) =>
    service.database.report((tx) => findQueued(tx, accountId, page), READING),
  );
  for await (const page of pages) {
    for (const payout of page) {
      const due = await sumDue(service, payout, at);
      if (!isInRange(due)) onOutOfRange(payout);
      else if (payout.collectingAt !== null || isWorthPaying(due.amount, payout.minimumMinor)) yield { ...payout, due };
      if (performance.now() < turnEndsAt) continue;
      await yieldToEventLoop();
      turnEndsAt = performance.now() + TURN_MS;
    }
  }
}

/** Adds up a payout's entries that are due at `at`, plus what was already collected. */
async function sumDue({ database }: Service, payout: QueuedCandidate, at: number): Promise<LargeSum> {
  const { partnerId, currency, collectedAmount: amount, collectedCount } = payout;
  const sum: LargeSum = { amount, entryCount: collectedCount };
  const due = { partnerId, currency, after: DUE_BEGIN, to: dueAtLast(at) };
  for (;;) {
    const isLarge = payout.entryCount > ENTRIES_PER_QUERY;
    const last = isLarge && (await database.report((tx) => findPlace(tx, due, ENTRIES_PER_QUERY), READING));
    const part = await database.report((tx) => sumRange(tx, last ? { ...due, to: last } : due), READING);
    sum.amount = addAmounts(sum.amount, part.amount);
    sum.entryCount += part.entryCount;
    if (!last) return sum;
    due.after = last;
    await yieldToEventLoop();
  }
}

function isInRange(sum: LargeSum): sum is PayoutSum {
  return sum.amount !== null;
}

/** Groups payouts so that a group has at most a slice of entries, unless it consists of a single payout. */
export async function* groupsOf(candidates: AsyncIterable<Candidate>): AsyncGenerator<Candidate[]> {
  let group: Candidate[] = [];
  let entries = 0;
  for await (const candidate of candidates) {
    const { entryCount } = candidate.due;
    const isFull = group.length === GROUP_PAYOUTS_MAX || entries + entryCount > SLICE_ENTRIES;
    if (group.length > 0 && isFull) {
      yield group;
      [group, entries] = [[], 0];
    }
    group.push(candidate);
    entries += entryCount;
  }
  if (group.length > 0) yield group;
}
