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

/** The encrypted details of up to `limit` partners. */
export async function findSealedDetails(tx: Transaction, limit: number): Promise<Buffer[]> {
  const rows = await tx.all<{ sealed: Buffer }>(
    `SELECT sealed_payout_details AS sealed FROM partners WHERE sealed_payout_details IS NOT NULL
     ORDER BY id LIMIT @limit`,
    { limit },
  );
  return rows.map(({ sealed }) => sealed);
}
