import { listAccounts } from '../accounts/accounts.ts';
import type { Service } from '../app/service.ts';
import { lastDueAt, type PayoutSchedule } from '../core/payout-schedule.ts';
import { isoTime } from '../core/time.ts';
import { beginScheduledRun, finishScheduledRun, isScheduledRunFinished } from './queries/scheduled-runs.ts';
import { runPayouts } from './run.ts';

/** A process that began a run and said nothing for so long has died; another takes over. */
const STALE_AFTER_MS = 15 * 60_000;

/**
 * Starts the payouts of every account once per period of the schedule, by the holds that were over at its begin,
 * however many processes call this and however often. A period that nobody was there for is made up for, the latest
 * one only.
 *
 * @returns whether this call ran it
 */
export async function runScheduledPayouts(
  service: Service,
  schedule: Exclude<PayoutSchedule, 'off'>,
): Promise<boolean> {
  const { database } = service;
  const now = service.clock();
  const dueAt = lastDueAt(schedule, now);
  const at = isoTime(dueAt);
  const period = `${schedule} ${at.slice(0, 10)}`;
  if (await database.read((tx) => isScheduledRunFinished(tx, period))) return false;
  if (!(await database.write((tx) => beginScheduledRun(tx, period, now, now - STALE_AFTER_MS)))) return false;
  for (const { id } of await listAccounts(service)) {
    const { payoutCount, totals } = await runPayouts(service, id, { at }, { by: 'schedule' });
    service.log.info({ accountId: id, period, payoutCount, totals }, 'scheduled payouts started');
  }
  await database.write((tx) => finishScheduledRun(tx, period, service.clock()));
  return true;
}
