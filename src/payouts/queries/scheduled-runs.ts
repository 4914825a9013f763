import type { Transaction } from '../../storage/database.ts';

/**
 * True for the one caller that must run the period: the first caller, or a later one if the unfinished run started
 * before `staleBefore`.
 */
export async function startScheduledRun(tx: Transaction, period: string, now: number, staleBefore: number) {
  const changed = await tx.run(
    `INSERT INTO scheduled_runs (period, started_at) VALUES (@period, @now)
     ON CONFLICT (period) DO UPDATE SET started_at = excluded.started_at
     WHERE scheduled_runs.finished_at IS NULL AND scheduled_runs.started_at < @staleBefore`,
    { period, now, staleBefore },
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
