import { writeEach } from '../../app/write-each.ts';
import type { AccountId } from '../../core/ids.ts';
import type { TransferRailName } from '../../rails/contract/rail.ts';
import type { Transaction } from '../../storage/database.ts';

const KINDS = {
  sales: 'sales e WHERE e.account_id = @accountId',
  leads: 'leads e WHERE e.account_id = @accountId',
  'ledger entries': 'ledger_entries e WHERE e.account_id = @accountId',
  deliveries: 'deliveries e WHERE e.account_id = @accountId',
};

/** The kinds of rows of an account that count as history. */
export async function findAccountHistory(tx: Transaction, accountId: AccountId): Promise<string[]> {
  const found: string[] = [];
  for (const [kind, rows] of Object.entries(KINDS)) {
    // ordered, so that PostgreSQL does not read the rows of other accounts
    const row = await tx.get(`SELECT 1 AS one FROM ${rows} ORDER BY e.id LIMIT 1`, { accountId });
    if (row !== undefined) found.push(kind);
  }
  return found;
}

/** The number of the account's payouts that are being sent, by rail. */
export function countSending(tx: Transaction, accountId: AccountId) {
  return tx.all<{ rail: TransferRailName; count: number }>(
    `SELECT t.rail, COUNT(*) AS count FROM payout_transfers t
     WHERE t.account_id = @accountId AND t.status = 'sending' GROUP BY t.rail ORDER BY t.rail`,
    { accountId },
  );
}

/** Nothing more is sent from the account at a provider. */
export async function deleteRailConnections(tx: Transaction, accountId: AccountId): Promise<void> {
  await tx.run('DELETE FROM rail_connections WHERE account_id = @accountId', { accountId });
}

/**
 * Takes the account out of use: its links stop working, its endpoints stop answering, and its import ends.
 */
export async function closeAccount(tx: Transaction, accountId: AccountId, now: number): Promise<void> {
  await tx.run('UPDATE programs SET archived_at = COALESCE(archived_at, @now) WHERE account_id = @accountId', {
    accountId,
    now,
  });
  await tx.run(
    `UPDATE webhook_endpoints SET deleted_at = COALESCE(deleted_at, @now), sealed_secrets = NULL
     WHERE account_id = @accountId`,
    { accountId, now },
  );
  await tx.run(
    `UPDATE imports SET status = 'canceled', ended_at = @now, sealed_secrets = NULL
     WHERE account_id = @accountId AND ended_at IS NULL`,
    { accountId, now },
  );
  await tx.run(
    `UPDATE reconciliations SET status = 'canceled', ended_at = @now WHERE account_id = @accountId AND ended_at IS NULL`,
    { accountId, now },
  );
  // what is left of it is no longer what an export brought
  await tx.run(`DELETE FROM job_cursors WHERE job = 'import' AND account_id = @accountId`, { accountId });
}

/** Keeps the server from attributing parked payments that earlier requests have left to it. */
export function endAttribution(tx: Transaction, accountId: AccountId) {
  return tx.run(`DELETE FROM job_cursors WHERE job = 'attribute payments' AND account_id = @accountId`, { accountId });
}

/**
 * Ends queued payouts, so that no run starts them any more; returns how many there were, at most `limit`. A run that is
 * starting one has queued another by the next call.
 */
export async function endQueuedPayouts(tx: Transaction, accountId: AccountId, limit: number): Promise<number> {
  const sql = `SELECT p.id FROM payouts p WHERE p.account_id = @accountId AND p.status = 'queued' ORDER BY p.id LIMIT @limit`;
  const queued = await tx.all<{ id: string }>(sql, { accountId, limit });
  const end = `UPDATE payouts SET status = 'canceled' WHERE id = @id AND status = 'queued'`;
  await writeEach(queued, ({ id }) => tx.run(end, { id }));
  return queued.length;
}

export async function deleteAccountRow(tx: Transaction, accountId: AccountId): Promise<void> {
  await tx.run('DELETE FROM job_cursors WHERE account_id = @accountId', { accountId });
  await tx.run('DELETE FROM accounts WHERE id = @accountId', { accountId });
}
