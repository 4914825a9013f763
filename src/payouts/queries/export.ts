import type { PayoutStatus } from '../../core/payout.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, filterSql } from '../../storage/list-filters.ts';

/** A payout whose amount is fixed, with whom it is for. */
export interface PayoutExportRow {
  id: string;
  partnerId: string;
  tenantId: string | null;
  partnerName: string;
  partnerEmail: string;
  /** Minor units. */
  amount: number;
  currency: string;
  entryCount: number;
  status: PayoutStatus;
  processingAt: number | null;
  paidAt: number | null;
}

const CONDITIONS = { status: 'p.status = @status', partnerId: 'p.partner_id = @partnerId' };

/** The oldest first, with ids past `afterId`. */
export function findPayoutsToExport(
  tx: Transaction,
  accountId: string,
  filters: Filters,
  afterId: string,
  limit: number,
) {
  return tx.all<PayoutExportRow>(
    `SELECT p.id, p.partner_id AS "partnerId", r.tenant_id AS "tenantId", r.name AS "partnerName",
       r.email AS "partnerEmail", p.amount, p.currency, p.entry_count AS "entryCount", p.status,
       p.processing_at AS "processingAt", p.paid_at AS "paidAt"
     FROM payouts p JOIN partners r ON r.id = p.partner_id
     WHERE p.account_id = @accountId AND p.amount IS NOT NULL${filterSql(filters, CONDITIONS)} AND p.id > @afterId
     ORDER BY p.id LIMIT @limit`,
    { accountId, afterId, limit, ...filterParameters(filters) },
  );
}
