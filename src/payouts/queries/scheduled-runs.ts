import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** Who may run a period. Times are epoch milliseconds. */
export interface ScheduledRunStart {
  now: number;
  /** An unfinished run is taken over when it started before this, */
  staleBefore: number;
  /** or after this, when the clock was ahead. */
  aheadAfter: number;
}

/** True for the one caller that must run the period: the first caller, or a later one that takes an unfinished run over. */
export async function startScheduledRun(tx: Transaction, period: string, start: ScheduledRunStart) {
  const changed = await tx.run(
    `INSERT INTO scheduled_runs (period, started_at) VALUES (@period, @now)
     ON CONFLICT (period) DO UPDATE SET started_at = excluded.started_at
     WHERE scheduled_runs.finished_at IS NULL
       AND (scheduled_runs.started_at < @staleBefore OR scheduled_runs.started_at > @aheadAfter)`,
    { period, ...start },
  );
  return changed === 1;
}

export function finishScheduledRun(tx: Transaction, period: string, now: number) {
  return tx.run('UPDATE scheduled_runs SET finished_at = @now WHERE period = @period', { period, now });
}

/** True when the run of this period is complete. */
export async function isScheduledRunFinished(tx: Transaction, period: string): Promise<boolean> {
  const sql = 'SELECT 1 AS "finished" FROM scheduled_runs WHERE period = @period AND finished_at IS NOT NULL';
  return (await tx.get(sql, { period })) !== undefined;
}

/** The name of one account's part of a run, which sorts before the periods themselves in every collation. */
export function periodOfAccount(period: string, accountId: AccountId): string {
  return `account ${accountId} ${period}`;
}

/** Forgets which accounts runs were finished for before this time. */
export function forgetAccounts(tx: Transaction, finishedBefore: number) {
  return tx.run(`DELETE FROM scheduled_runs WHERE period < 'b' AND finished_at < @finishedBefore`, { finishedBefore });
}

/** Ends the run for one account, so that a repetition leaves it alone. */
export function finishAccount(tx: Transaction, period: string, accountId: AccountId, now: number) {
  return tx.run(
    `INSERT INTO scheduled_runs (period, started_at, finished_at) VALUES (@period, @now, @now)
     ON CONFLICT (period) DO NOTHING`,
    { period: periodOfAccount(period, accountId), now },
  );
}
