import type { AccountId, PartnerId, PayoutId, ProgramId } from '../../core/ids.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import { clampedSum } from '../../storage/conditions/safe-sums.ts';
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  listParameters,
  PARTNER_OF_ACCOUNT,
  type PageBounds,
  pageSql,
  walkOf,
  walkOfAccount,
  walkOfPeriod,
} from '../../storage/list-filters.ts';

export interface PayoutView {
  id: PayoutId;
  programId: ProgramId;
  partnerId: PartnerId;
  partnerName: string;
  currency: string;
  amount: number;
  status: PayoutStatus;
  entryCount: number;
  createdAt: number;
  /** When the payout was started. `processingBy` is the id of an API key or operator, `command line` or `schedule`. */
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
  narrow: { time: 'p.created_at', columns: { programId: 'p.program_id', currency: 'p.currency' } },
  walks: {
    partnerId: walkOf('p', `p.partner_id = ${PARTNER_OF_ACCOUNT}`),
    period: walkOfPeriod('p'),
    status: walkOfAccount('p', 'p.status = @status'),
  },
};

const PAYOUT = `SELECT p.id, p.program_id AS "programId", p.partner_id AS "partnerId",
    (SELECT n.name FROM partners n WHERE n.id = p.partner_id) AS "partnerName", p.currency,
    ${clampedSum('p.amount')} AS amount, p.status, p.entry_count AS "entryCount",
    p.created_at AS "createdAt", p.processing_at AS "processingAt", p.processing_by AS "processingBy",
    p.paid_at AS "paidAt", p.ended_at AS "endedAt", p.ended_by AS "endedBy", p.note
  FROM payouts p WHERE`;

/** Newest first. */
export function findPayouts(tx: Transaction, accountId: AccountId, filters: Filters, bounds: PageBounds) {
  return tx.all<PayoutView>(`${PAYOUT} ${pageSql(filters, LIST)}`, {
    accountId,
    ...listParameters(filters, bounds),
  });
}

export function findPayout(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<PayoutView>(`${PAYOUT} p.account_id = @accountId AND p.id = @id`, { accountId, id });
}
