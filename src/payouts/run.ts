import type { Service } from '../app/service.ts';
import type { Actor } from '../core/actor.ts';
import type { AccountId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import { type Candidate, collectingPayouts, groupsOf, payoutsWorthPaying } from './candidates.ts';
import { collectPayout, type SchedulePeriod } from './collect.ts';
import { SumOutOfRange } from './out-of-range.ts';
import type { QueuedCandidate } from './queries/due.ts';
import type { FailedPayout, PayoutRun, PayoutRunInput, RunPayout } from './schemas.ts';
import { finishSettling } from './settle.ts';
import { Tally } from './tally.ts';

/** After this many failures without a success in between, the payouts themselves are not the cause. */
const FAILURES_IN_A_ROW_MAX = 32;

/** Who started a run, when it must stop early, and a listener for its progress. */
export interface RunOptions {
  actor: Actor;
  /** For a run that is repeated: starts nothing for a partner whose payout was started in this period and given back. */
  once?: SchedulePeriod;
  /** Asked before each unit of work. The caller reports such a run as incomplete. */
  isStopping?: () => boolean;
  onProgress?: (soFar: { payoutCount: number; entryCount: number }) => void;
}

/**
 * Starts every payout of the account whose entries past their hold add up to a positive amount that reaches the
 * program's minimum. The payout becomes `processing` with these entries and a fixed amount, and the partner's next
 * payout is queued. First finishes what an interrupted run has begun, for that run's time. Each payout is a separate
 * unit of work, or several if it has many entries. Concurrent or repeated runs never pay anything twice. A payout that
 * fails, or whose entries add up to more than an amount can hold, is reported in `failed` and does not stop the others.
 *
 * @param input `at`: when a hold must be over (epoch milliseconds; null for now). `dryRun`: only report what would be
 * paid, without what becomes due after the time of an interrupted run
 * @throws ServiceError `UNAVAILABLE` when the database fails every time; another run then starts the rest
 */
export async function runPayouts(
  service: Service,
  accountId: AccountId,
  { at: requestedAt, dryRun }: PayoutRunInput,
  { actor, once, isStopping = () => false, onProgress = () => {} }: RunOptions,
): Promise<PayoutRun> {
  const at = requestedAt ?? service.clock();
  const tally = new Tally(at, dryRun);
  const { run } = tally;
  const onSlice = (entryCount: number) => onProgress({ ...run, entryCount: run.entryCount + entryCount });
  let failuresInARow = 0;
  const collect = async (candidates: readonly Candidate[]): Promise<void> => {
    const payouts = candidates.map((candidate) => ({ ...candidate, accountId }));
    const results = await Promise.allSettled(
      payouts.map((payout) => collectPayout(service, payout, { at, actor, once, onSlice })),
    );
    // in payout order, regardless of the order in which their units of work ended
    for (const [index, payout] of payouts.entries()) {
      const result = results[index];
      if (result?.status === 'fulfilled') {
        if (result.value !== null) tally.add({ ...result.value, partnerName: payout.partnerName });
        failuresInARow = 0;
      } else {
        // a sum out of range is the payout's own fault, so it does not count
        if (!(result?.reason instanceof SumOutOfRange)) failuresInARow += 1;
        if (failuresInARow > FAILURES_IN_A_ROW_MAX) throw result?.reason;
        service.log.error({ accountId, payoutId: payout.id, err: result?.reason }, 'a payout could not be started');
        tally.addFailed(asFailedPayout(payout, result?.reason));
      }
    }
  };
  const skip = (payout: QueuedCandidate) => {
    const error = new SumOutOfRange(payout.currency);
    service.log.error({ accountId, payoutId: payout.id, reason: error.message }, 'a payout could not be started');
    tally.addFailed(asFailedPayout(payout, error));
  };
  await finishSettling(service, accountId);
  for await (const payout of collectingPayouts(service, accountId, skip)) {
    if (isStopping()) return run;
    if (dryRun) tally.add(asRunPayout(payout));
    else await collect([payout]);
  }
  for await (const group of groupsOf(payoutsWorthPaying(service, accountId, at, skip))) {
    if (isStopping()) return run;
    if (!dryRun) await collect(group);
    else for (const payout of group) if (payout.collectingAt === null) tally.add(asRunPayout(payout));
    onProgress(run);
  }
  return run;
}

function asRunPayout({ id, programId, partnerId, partnerName, currency, due }: Candidate): RunPayout {
  return { id, programId, partnerId, partnerName, currency, ...due };
}

function asFailedPayout({ partnerId, partnerName, currency }: QueuedCandidate, error: unknown): FailedPayout {
  const payout = { partnerId, partnerName, currency };
  if (error instanceof ServiceError) return { ...payout, code: error.code, message: error.message };
  const message = 'An unexpected error, which is in the log. Report it, and run again once it is resolved';
  return { ...payout, code: 'INTERNAL_ERROR', message };
}
