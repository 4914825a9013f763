import { claimKeys } from '../../src/app/claims.ts';
import type { Service } from '../../src/app/service.ts';
import type { AccountId } from '../../src/core/ids.ts';
import type { TransferStatus } from '../../src/core/payout.ts';
import { holdPayout } from '../../src/payouts/held.ts';
import { findPayoutOwner } from '../../src/payouts/queries/payouts.ts';
import type { Database } from '../../src/storage/database.ts';

/** Holds a payout as a sender does that cannot find out what became of its transfer. Returns false in another state. */
export function hold(service: Service, accountId: string, payoutId: string, note = 'Nobody knows'): Promise<boolean> {
  return service.database.write(
    async (tx) => {
      const owner = await findPayoutOwner(tx, accountId as AccountId, payoutId);
      if (!owner) throw new Error(`There is no payout ${payoutId}`);
      const { id, partnerId, currency } = owner;
      await tx.claim(() => [claimKeys.payout(partnerId, currency)]);
      return holdPayout(tx, { accountId: accountId as AccountId, id, note, heldAt: service.clock() });
    },
    { alone: true },
  );
}

/** A transfer of a payout, as if a process had just begun to send it. */
export async function addTransfer(database: Database, payoutId: string, status: TransferStatus): Promise<void> {
  const sql = `INSERT INTO payout_transfers (payout_id, account_id, rail, platform_id, is_live, destination, amount, currency,
      status, created_at, created_by, attempts, first_attempt_at, due_at, leased_by, leased_until)
    SELECT p.id, p.account_id, 'stripe', 'acct_1PlatformEXAMPLE', 0, 'acct_1NabcdEXAMPLE', p.amount, p.currency,
      @status, 1000, 'command line', 1, 1000, CASE WHEN @status = 'sending' THEN 2000 END, 'process', 3000
    FROM payouts p WHERE p.id = @payoutId`;
  await database.write((tx) => tx.run(sql, { payoutId, status }));
}

/** The columns of a payout's transfer that change when it ends. */
export function transferOf(database: Database, payoutId: string) {
  const sql = `SELECT status, destination, due_at AS "dueAt", leased_by AS "leasedBy", leased_until AS "leasedUntil",
      ended_at AS "endedAt"
    FROM payout_transfers WHERE payout_id = @payoutId`;
  return database.read((tx) => tx.get<{ status: TransferStatus }>(sql, { payoutId }));
}
