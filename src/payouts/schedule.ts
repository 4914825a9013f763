import { listAccounts } from '../accounts/accounts.ts';
import { forEachAccount } from '../app/each-account.ts';
import type { Service } from '../app/service.ts';
import type { Actor } from '../core/actor.ts';
import { lastDueAt, type PayoutSchedule } from '../core/payout-schedule.ts';
import { isoTime } from '../core/time.ts';
import { finishScheduledRun, isScheduledRunFinished, startScheduledRun } from './queries/scheduled-runs.ts';
import { runPayouts } from './run.ts';

const SCHEDULE: Actor = { kind: 'schedule' };

/** An unfinished run of this age belongs to a dead process; another process takes over. */
const STALE_AFTER_MS = 15 * 60_000;

/**
 * Starts the payouts of every account once per period of the schedule, for holds that were over at the start of the
 * period, no matter how many processes call it and how often. Catches up on the latest missed period, but not on
 * earlier ones. A run in which a payout or an account failed, or that ended because the server stops, is repeated after a
 * quarter of an hour.
 *
 * @returns whether this call did the run
 * @throws the failure of an account, after the payouts of the others were started
 */
export async function runScheduledPayouts(
  service: Service,
  schedule: Exclude<PayoutSchedule, 'off'>,
): Promise<boolean> {
  const { database } = service;
  const now = service.clock();
  const dueAt = lastDueAt(schedule, now);
  const period = `${schedule} ${isoTime(dueAt).slice(0, 10)}`;
  if (await database.read((tx) => isScheduledRunFinished(tx, period))) return false;
  if (!(await database.write((tx) => startScheduledRun(tx, period, now, now - STALE_AFTER_MS), { alone: true })))
    return false;
  let isComplete = true;
  const isStopping = () => service.lifecycle.draining;
  const accountIds = (await listAccounts(service)).map(({ id }) => id);
  await forEachAccount(service, accountIds, async (accountId) => {
    const run = await runPayouts(service, accountId, { at: dueAt, dryRun: false }, { actor: SCHEDULE, isStopping });
    const { payoutCount, totals } = run;
    // without the partners' names; `runPayouts` has logged each reason
    const failed = run.failed.map(({ partnerId, currency, code }) => ({ partnerId, currency, code }));
    service.log.info({ accountId, period, payoutCount, totals, failed }, 'scheduled payouts started');
    isComplete &&= failed.length === 0;
  });
  // once the run is stale, the next call repeats it
  if (!isComplete || isStopping()) return true;
  await database.write((tx) => finishScheduledRun(tx, period, service.clock()));
  return true;
}
