import type { AccountId, PartnerId, PayoutId, ProgramId } from '../../core/ids.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  filterParameters,
  PARTNER_OF_ACCOUNT,
  type PageBounds,
  pageSql,
  walkOf,
  walkOfAccount,
} from '../../storage/list-filters.ts';

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

const LIST = {
  alias: 'p',
  columns: { status: 'p.status' },
  walks: {
    partnerId: walkOf('p', `p.partner_id = ${PARTNER_OF_ACCOUNT}`),
    status: walkOfAccount('p', 'p.status = @status'),
  },
};

const PAYOUT = `SELECT p.id, p.program_id AS "programId", p.partner_id AS "partnerId", p.currency,
    p.amount, p.status, p.entry_count AS "entryCount",
    p.created_at AS "createdAt", p.processing_at AS "processingAt", p.processing_by AS "processingBy",
    p.paid_at AS "paidAt", p.ended_at AS "endedAt", p.ended_by AS "endedBy", p.note
  FROM payouts p WHERE`;

/** The newest first. */
export function findPayouts(tx: Transaction, accountId: AccountId, filters: Filters, bounds: PageBounds) {
  return tx.all<PayoutView>(`${PAYOUT} ${pageSql(filters, LIST)}`, {
    accountId,
    ...filterParameters(filters),
    ...bounds,
  });
}

export function findPayout(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<PayoutView>(`${PAYOUT} p.account_id = @accountId AND p.id = @id`, { accountId, id });
}
