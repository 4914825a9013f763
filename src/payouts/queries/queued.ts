import type { AccountId, PartnerId, PayoutId, ProgramId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

export interface QueuedPayout {
  id: PayoutId;
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  currency: string;
  createdAt: number;
}

/** Whether the partner has a queued payout of this currency. */
export async function isQueued(tx: Transaction, partnerId: PartnerId, currency: string): Promise<boolean> {
  const row = await tx.get(
    `SELECT 1 AS found FROM payouts
     WHERE partner_id = @partnerId AND currency = @currency AND status = 'queued'`,
    { partnerId, currency },
  );
  return row !== undefined;
}

/** Adds a queued payout, unless the partner has one of this currency. */
export function insertQueued(tx: Transaction, payout: QueuedPayout) {
  return tx.run(
    `INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, created_at)
     VALUES (@id, @accountId, @programId, @partnerId, @currency, 'queued', @createdAt)
     ON CONFLICT (partner_id, currency) WHERE status = 'queued' DO NOTHING`,
    { ...payout },
  );
}
