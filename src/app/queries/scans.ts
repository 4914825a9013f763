import { randomUUID } from 'node:crypto';
import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** What is scanned: for erased persons, or for payments whose person is known now. */
export type ScanJob =
  | 'attribute payments'
  | 'erase bodies'
  | 'erase identities'
  | 'erase persons in events'
  | 'erase the rest';

/** How far the scan of an account's rows has come. */
export interface Scan {
  accountId: AccountId;
  /** Of the last row that was scanned, in the order of the rows. */
  lastId: string;
  /** Another one after each erasure, which starts the scan again. */
  restartId: string;
}

const SELECT = 'SELECT account_id AS "accountId", last_id AS "lastId", restart_id AS "restartId" FROM job_cursors';

/** The accounts that have a scan, in any order. */
export async function findScannedAccounts(tx: Transaction, job: ScanJob): Promise<AccountId[]> {
  const scans = await tx.all<Scan>(`${SELECT} WHERE job = @job`, { job });
  return scans.map(({ accountId }) => accountId);
}

export function findScan(tx: Transaction, job: ScanJob, accountId: AccountId) {
  return tx.get<Scan>(`${SELECT} WHERE job = @job AND account_id = @accountId`, { job, accountId });
}

/**
 * Starts or restarts the scan of an account's rows.
 *
 * @param startId sorts before the ids of all rows
 */
export function restartScan(tx: Transaction, job: ScanJob, accountId: AccountId, startId: string) {
  return tx.run(
    `INSERT INTO job_cursors (job, account_id, last_id, restart_id) VALUES (@job, @accountId, @startId, @restartId)
     ON CONFLICT (job, account_id) DO UPDATE SET last_id = excluded.last_id, restart_id = excluded.restart_id`,
    { job, accountId, startId, restartId: randomUUID() },
  );
}

/** Appends text to the position of a scan, which then lists what is left; starts the scan if there is none. */
export function extendScan(tx: Transaction, job: ScanJob, accountId: AccountId, text: string) {
  return tx.run(
    `INSERT INTO job_cursors (job, account_id, last_id, restart_id) VALUES (@job, @accountId, @text, @restartId)
     ON CONFLICT (job, account_id) DO UPDATE SET
       last_id = job_cursors.last_id || excluded.last_id, restart_id = excluded.restart_id`,
    { job, accountId, text, restartId: randomUUID() },
  );
}

const IS_THERE = 'job = @job AND account_id = @accountId AND last_id = @lastId AND restart_id = @restartId';

/**
 * Saves the position reached. Returns false when another unit has moved or restarted the scan in the meantime. Locks the
 * scan, so call it before reading what depends on it.
 */
export async function moveScan(tx: Transaction, job: ScanJob, scan: Scan, toId: string): Promise<boolean> {
  return (await tx.run(`UPDATE job_cursors SET last_id = @toId WHERE ${IS_THERE}`, { job, ...scan, toId })) === 1;
}

/** Ends the scan, like `moveScan` with nothing left to scan. */
export async function endScan(tx: Transaction, job: ScanJob, scan: Scan): Promise<boolean> {
  return (await tx.run(`DELETE FROM job_cursors WHERE ${IS_THERE}`, { job, ...scan })) === 1;
}
