import { restartScan } from '../app/scans.ts';
import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import type { ParkedFor } from './parked-for.ts';
import { markDue } from './queries/parked-hints.ts';

/** Few enough that attributing them holds up other requests for milliseconds only. */
export const ATTRIBUTED_PER_UNIT = 25;

/**
 * Leaves parked payments to the server, except those that this unit attributes: the server also attributes those that
 * expire in the meantime.
 */
export function leaveToServer(tx: Transaction, accountId: AccountId, payments: readonly ParkedFor[]): void {
  tx.unawaited(markDue(tx, accountId, payments));
  tx.last('attribute payments', startJobs, accountId);
}

async function startJobs(tx: Transaction, accountIds: readonly AccountId[]): Promise<void> {
  for (const accountId of [...new Set(accountIds)].sort()) {
    tx.unawaited(restartScan(tx, 'attribute payments', accountId, ''));
  }
}
