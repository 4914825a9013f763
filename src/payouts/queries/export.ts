import type { AccountId, PartnerId, PayoutFileId, PayoutId } from '../../core/ids.ts';
import type { PayoutStatus, TransferStatus } from '../../core/payout.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  filterParameters,
  isSet,
  PARTNER_OF_ACCOUNT,
  walkOf,
  walkOfAccount,
} from '../../storage/list-filters.ts';

/** A payout whose amount is fixed, and its partner. */
export interface PayoutExportRow {
  id: PayoutId;
  partnerId: PartnerId;
  tenantId: string | null;
  partnerName: string;
  partnerEmail: string;
  /** Minor units. */
  amount: number;
  currency: string;
  entryCount: number;
  status: Exclude<PayoutStatus, 'queued'>;
  processingAt: number | null;
  paidAt: number | null;
  /** The live file that contains it; null when none does. */
  fileId: PayoutFileId | null;
  /** The status of the transfer that pays it; null without one. */
  transferStatus: TransferStatus | null;
}

/** Payouts of one status, and of one partner or all, with ids above `afterId`, oldest first. */
export function findPayoutsToExport(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters & { status: string },
  { afterId, limit }: { afterId: string; limit: number },
) {
  const { conditions } = isSet(filters, 'partnerId')
    ? walkOf('p', `p.partner_id = ${PARTNER_OF_ACCOUNT} AND p.status = @status`)
    : walkOfAccount('p', 'p.status = @status');
  return tx.all<PayoutExportRow>(
    `SELECT p.id, p.partner_id AS "partnerId", r.tenant_id AS "tenantId", r.name AS "partnerName",
       r.email AS "partnerEmail", p.amount, p.currency, p.entry_count AS "entryCount", p.status,
       p.processing_at AS "processingAt", p.paid_at AS "paidAt",
       (SELECT f.file_id FROM payout_file_rows f WHERE f.payout_id = p.id AND f.live = 1) AS "fileId",
       (SELECT t.status FROM payout_transfers t WHERE t.payout_id = p.id) AS "transferStatus"
     FROM payouts p JOIN partners r ON r.id = p.partner_id
     WHERE ${conditions} AND p.status <> 'queued' AND p.id > @afterId
     ORDER BY p.id LIMIT @limit`,
    { accountId, afterId, limit, ...filterParameters(filters) },
  );
}
