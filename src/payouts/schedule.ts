import { listAccounts } from '../accounts/accounts.ts';
import { forEachAccount } from '../app/each-account.ts';
import type { Service } from '../app/service.ts';
import type { Actor } from '../core/actor.ts';
import { lastDueAt, nextDueAt, type PayoutSchedule } from '../core/payout-schedule.ts';
import { isoDate } from '../core/time.ts';
import {
  finishAccount,
  finishScheduledRun,
  forgetAccounts,
  isScheduledRunFinished,
  periodOfAccount,
  startScheduledRun,
} from './queries/scheduled-runs.ts';
import { runPayouts } from './run.ts';

const SCHEDULE: Actor = { kind: 'schedule' };

/** An unfinished run of this age belongs to a dead process; another process takes over. */
const STALE_AFTER_MS = 15 * 60_000;

/**
 * Starts the payouts of every account once per period of the schedule, for holds that were over at the start of the
 * period, no matter how many processes call it and how often. Catches up on the latest missed period, but not on
 * earlier ones. A run in which a payout or an account failed, or that ended because the server stops, is repeated after a
 * quarter of an hour, for the accounts that it did not finish.
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
  const period = `${schedule} ${isoDate(dueAt)}`;
  if (await database.read((tx) => isScheduledRunFinished(tx, period))) return false;
  const start = { now, staleBefore: now - STALE_AFTER_MS, aheadAfter: now + STALE_AFTER_MS };
  if (!(await database.write((tx) => startScheduledRun(tx, period, start), { alone: true }))) return false;
  // those of earlier periods, which no run may have completed
  await database.write((tx) => forgetAccounts(tx, dueAt));
  let isComplete = true;
  const isStopping = () => service.lifecycle.draining;
  const accountIds = (await listAccounts(service)).map(({ id }) => id);
  await forEachAccount(service, accountIds, async (accountId) => {
    // its later payouts are those of the next period, as are the entries of a payout that has been given back since
    if (await database.read((tx) => isScheduledRunFinished(tx, periodOfAccount(period, accountId)))) return;
    const input = { at: dueAt, dryRun: false };
    const once = { from: dueAt, to: nextDueAt(schedule, dueAt) };
    const run = await runPayouts(service, accountId, input, { actor: SCHEDULE, once, isStopping });
    const { payoutCount, totals } = run;
    // without the partners' names; `runPayouts` has logged each reason
    const failed = run.failed.map(({ partnerId, currency, code }) => ({ partnerId, currency, code }));
    service.log.info({ accountId, period, payoutCount, totals, failed }, 'scheduled payouts started');
    isComplete &&= failed.length === 0;
    if (failed.length > 0 || isStopping()) return;
    await database.write((tx) => finishAccount(tx, period, accountId, service.clock()));
  });
  // once the run is stale, the next call repeats it
  if (!isComplete || isStopping()) return true;
  await database.write(async (tx) => {
    await finishScheduledRun(tx, period, service.clock());
    await forgetAccounts(tx, Number.MAX_SAFE_INTEGER);
  });
  return true;
}
