import type { PartnerId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

interface StoredDetails {
  /** JSON; null when there are no details. */
  masked: string | null;
  sealed: Buffer | null;
}

export async function updatePayoutDetails(tx: Transaction, id: PartnerId, details: StoredDetails): Promise<void> {
  await tx.run('UPDATE partners SET payout_details = @masked, sealed_payout_details = @sealed WHERE id = @id', {
    id,
    ...details,
  });
}
