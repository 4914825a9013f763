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

/** The sum of a payout's entries in signed minor units, and their number. */
export interface PayoutSum {
  amount: number;
  entryCount: number;
}

/** As `PayoutSum`, of any number of entries. */
export interface LargeSum {
  /** Null beyond ±(2^53 − 1). */
  amount: number | null;
  entryCount: number;
}

/** Adds to the partner's queued payout of this currency. Returns 0 when there is none. */
export function addToQueued(
  tx: Transaction,
  { partnerId, currency }: Pick<QueuedPayout, 'partnerId' | 'currency'>,
  { amount, entryCount }: PayoutSum,
) {
  return tx.run(
    `UPDATE payouts SET amount = amount + @amount, entry_count = entry_count + @entryCount
     WHERE partner_id = @partnerId AND currency = @currency AND status = 'queued'`,
    { partnerId, currency, amount, entryCount },
  );
}

/** Queues a payout; adds to the partner's queued one of this currency if there is one. */
export function putQueued(tx: Transaction, payout: QueuedPayout & PayoutSum) {
  return tx.run(
    `INSERT INTO payouts (id, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at)
     VALUES (@id, @accountId, @programId, @partnerId, @currency, 'queued', @amount, @entryCount, @createdAt)
     ON CONFLICT (partner_id, currency) WHERE status = 'queued'
     DO UPDATE SET amount = payouts.amount + excluded.amount, entry_count = payouts.entry_count + excluded.entry_count`,
    { ...payout },
  );
}
