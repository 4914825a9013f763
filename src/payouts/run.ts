import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import { type Actor, actorName } from '../core/actor.ts';
import type { AccountId } from '../core/ids.ts';
import { isWorthPaying } from '../core/payout.ts';
import { isoTime } from '../core/time.ts';
import type { Transaction } from '../storage/database.ts';
import {
  assignDue,
  findPayoutOwner,
  findQueuedPayouts,
  type PayoutCandidate,
  type PayoutSum,
  startPayout,
  sumAssigned,
  sumDue,
  unassign,
} from './queries/payouts.ts';
import { queuePayout } from './queue.ts';
import type { PayoutRun, PayoutRunInput, RunPayout } from './schemas.ts';

/** Queued payouts to check between two turns of the event loop. */
const PAGE_SIZE = 50;
/** Payouts that share a commit; few enough that concurrent requests do not wait. */
const GROUP_PAYOUTS_MAX = 32;
const GROUP_ENTRIES_MAX = 2_000;
/** A run may start any number of payouts; its answer lists this many. */
const LISTED_MAX = 1_000;

/** Who started a run, and a listener for its progress. */
export interface RunOptions {
  actor: Actor;
  onProgress?: (soFar: { payoutCount: number; entryCount: number }) => void;
}

interface Candidate extends PayoutCandidate, PayoutSum {}

/**
 * Starts every payout of the account whose entries past their hold add up to a positive amount that reaches the program's
 * minimum: it becomes `processing` with these entries and a fixed amount, and the partner's next payout is queued. Each
 * payout is a separate unit of work; concurrent or repeated runs never pay anything twice.
 *
 * @param input `at`: when a hold must be over (epoch milliseconds; null for now). `dryRun`: only report what would be paid
 * @throws ServiceError `UNAVAILABLE`; another run then starts the rest
 */
export async function runPayouts(
  service: Service,
  accountId: AccountId,
  { at: requestedAt, dryRun }: PayoutRunInput,
  { actor, onProgress = () => {} }: RunOptions,
): Promise<PayoutRun> {
  const at = requestedAt ?? service.clock();
  const tally = new Tally(at, dryRun);
  for await (const group of groupsOf(candidatesOf(service, accountId, at))) {
    const start = (candidate: Candidate) =>
      service.database.write((tx) => startPayoutOf(tx, accountId, candidate, { at, actor, now: service.clock() }));
    tally.add(dryRun ? group.map(asRunPayout) : await Promise.all(group.map(start)));
    onProgress(tally.run);
  }
  return tally.run;
}

async function* candidatesOf(service: Service, accountId: AccountId, at: number): AsyncGenerator<Candidate> {
  for (let afterId = ''; ; ) {
    const candidates = await service.database.read(async (tx) => {
      const rows = await findQueuedPayouts(tx, accountId, afterId, PAGE_SIZE);
      const found: Candidate[] = [];
      for (const row of rows) found.push({ ...row, ...(await sumDue(tx, row.partnerId, row.currency, at)) });
      return found;
    });
    const last = candidates.at(-1);
    if (last === undefined) return;
    afterId = last.id;
    yield* candidates.filter(({ amount, minimumMinor }) => isWorthPaying(amount, minimumMinor));
    await yieldToEventLoop();
  }
}

async function* groupsOf(candidates: AsyncIterable<Candidate>): AsyncGenerator<Candidate[]> {
  let group: Candidate[] = [];
  let entries = 0;
  for await (const candidate of candidates) {
    const isFull = group.length === GROUP_PAYOUTS_MAX || entries + candidate.entryCount > GROUP_ENTRIES_MAX;
    if (group.length > 0 && isFull) {
      yield group;
      [group, entries] = [[], 0];
    }
    group.push(candidate);
    entries += candidate.entryCount;
  }
  if (group.length > 0) yield group;
}

/** Starts one payout; null when another run was faster, or a refund arrived in between. */
async function startPayoutOf(
  tx: Transaction,
  accountId: AccountId,
  candidate: Candidate,
  { at, actor, now }: { at: number; actor: Actor; now: number },
): Promise<RunPayout | null> {
  const { id, programId, partnerId, currency, minimumMinor } = candidate;
  await tx.claim(() => [claimKeys.payout(partnerId, currency)]);
  if ((await findPayoutOwner(tx, accountId, id))?.status !== 'queued') return null;
  await assignDue(tx, candidate, at);
  const sum = await sumAssigned(tx, accountId, id);
  if (!isWorthPaying(sum.amount, minimumMinor)) {
    await unassign(tx, id);
    return null;
  }
  const started = await startPayout(tx, { id, ...sum, processingAt: now, processingBy: actorName(actor) });
  if (started !== 1) throw new Error(`Payout ${id} is no longer queued although it was claimed`);
  // always keep one queued: a concurrent sale may rely on the one that was just started
  await queuePayout(tx, { accountId, programId, partnerId, currency, createdAt: now });
  return asRunPayout({ ...candidate, ...sum });
}

class Tally {
  readonly run: PayoutRun;

  constructor(at: number, dryRun: boolean) {
    this.run = { at: isoTime(at), dryRun, payoutCount: 0, entryCount: 0, totals: [], data: [] };
  }

  add(payouts: readonly (RunPayout | null)[]): void {
    for (const payout of payouts) {
      if (payout === null) continue;
      const { currency, amount, entryCount } = payout;
      this.run.payoutCount += 1;
      this.run.entryCount += entryCount;
      const total = this.#totalOf(currency);
      total.payoutCount += 1;
      total.entryCount += entryCount;
      total.amount += amount;
      if (this.run.data.length < LISTED_MAX) this.run.data.push(payout);
    }
  }

  #totalOf(currency: string): PayoutRun['totals'][number] {
    const known = this.run.totals.find((total) => total.currency === currency);
    if (known) return known;
    const total = { currency, payoutCount: 0, entryCount: 0, amount: 0 };
    this.run.totals.push(total);
    return total;
  }
}

function asRunPayout({ id, programId, partnerId, currency, amount, entryCount }: RunPayout): RunPayout {
  return { id, programId, partnerId, currency, amount, entryCount };
}
