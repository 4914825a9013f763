import type { AccountId, PartnerId, PayoutId, ProgramId } from '../../core/ids.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import { IS_OPEN } from '../../storage/conditions/open-entries.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, filterSql, type PageBounds } from '../../storage/list-filters.ts';

export interface PayoutView {
  id: PayoutId;
  programId: ProgramId;
  partnerId: PartnerId;
  currency: string;
  amount: number;
  status: PayoutStatus;
  entryCount: number;
  createdAt: number;
  /** When and by whom it was started: an API key's id, `command line` or `schedule`. */
  processingAt: number | null;
  processingBy: string | null;
  paidAt: number | null;
  endedAt: number | null;
  endedBy: string | null;
  note: string | null;
}

const PAYOUT_CONDITIONS = { partnerId: 'p.partner_id = @partnerId', status: 'p.status = @status' };

const OPEN_ENTRIES = `ledger_entries e WHERE e.partner_id = p.partner_id AND e.currency = p.currency AND ${IS_OPEN}`;

const PAYOUT = `SELECT p.id, p.program_id AS "programId", p.partner_id AS "partnerId", p.currency,
    COALESCE(p.amount, (SELECT CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) FROM ${OPEN_ENTRIES})) AS amount,
    p.status, COALESCE(p.entry_count, (SELECT COUNT(*) FROM ${OPEN_ENTRIES})) AS "entryCount",
    p.created_at AS "createdAt", p.processing_at AS "processingAt", p.processing_by AS "processingBy",
    p.paid_at AS "paidAt", p.ended_at AS "endedAt", p.ended_by AS "endedBy", p.note
  FROM payouts p WHERE p.account_id = @accountId`;

/** The newest first; the amount of a queued payout is the sum of the partner's open entries in its currency. */
export function findPayouts(tx: Transaction, accountId: AccountId, filters: Filters, bounds: PageBounds) {
  return tx.all<PayoutView>(
    `${PAYOUT}${filterSql(filters, PAYOUT_CONDITIONS)} AND p.id < @beforeId ORDER BY p.id DESC LIMIT @limit`,
    { accountId, ...filterParameters(filters), ...bounds },
  );
}

export function findPayout(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<PayoutView>(`${PAYOUT} AND p.id = @id`, { accountId, id });
}
