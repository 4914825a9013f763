import type { AccountId, PartnerId, PayoutId, ProgramId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyRowsReturning } from '../../storage/many-rows.ts';

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

/** Like `PayoutSum`, for any number of entries. */
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

/**
 * Queues payouts, each for a different partner or currency. If the partner already has a queued payout in the currency,
 * adds to that one instead. Returns the ids of the queued payouts, both new and existing ones.
 */
export const putQueued = manyRowsReturning<keyof QueuedPayout | keyof PayoutSum | 'status', { id: PayoutId }>({
  before: `INSERT INTO payouts
    (id, account_id, program_id, partner_id, currency, status, amount, entry_count, created_at) VALUES`,
  names: ['id', 'accountId', 'programId', 'partnerId', 'currency', 'status', 'amount', 'entryCount', 'createdAt'],
  after: `ON CONFLICT (partner_id, currency) WHERE status = 'queued'
    DO UPDATE SET amount = payouts.amount + excluded.amount, entry_count = payouts.entry_count + excluded.entry_count
    RETURNING id`,
});

/**
 * True when a payout in this currency is queued for any of the account's partners. Every partner who ever earned in a
 * currency has a queued payout in it.
 */
export async function hasQueued(tx: Transaction, accountId: AccountId, currency: string): Promise<boolean> {
  const found = await tx.get(
    `SELECT p.id FROM payouts p WHERE p.account_id = @accountId AND p.status = 'queued' AND p.currency = @currency LIMIT 1`,
    { accountId, currency },
  );
  return found !== undefined;
}
