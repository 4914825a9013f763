import type { Review } from '../../core/self-referral.ts';
import { isEntryOf } from '../../storage/conditions/entries-of-sale.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, filterSql, type PageBounds } from '../../storage/list-filters.ts';

/** In which a sale may be; `rejected` is a self-referral that earns nothing. */
export const SALE_STATUSES = ['pending', 'approved', 'paid', 'refunded', 'disputed', 'rejected'] as const;

/** A sale as it is read: money from the ledger, its state from refunds, payouts and the clock. */
export interface SaleView {
  id: string;
  amount: number;
  grossAmount: number;
  refundedAmount: number;
  currency: string;
  commissionAmount: number;
  reversedCommissionAmount: number;
  status: (typeof SALE_STATUSES)[number];
  review: Review | null;
  invoiceId: string | null;
  paymentProcessor: string;
  eventName: string;
  customerId: string;
  externalId: string | null;
  email: string | null;
  name: string | null;
  programId: string;
  partnerId: string;
  linkId: string | null;
  clickId: string | null;
  paymentId: string;
  /** JSON. */
  terms: string;
  matchedBy: string;
  /** JSON. */
  steps: string;
  voidedReason: string | null;
  /** JSON or null. */
  metadata: string | null;
  occurredAt: number;
  createdAt: number;
}

/** Design, section 8; a flagged sale stays `pending`, `approved` follows from the clock, `paid` from the payout that the commission went into. */
const STATUS = `CASE
    WHEN s.voided_reason IS NOT NULL OR (s.gross_amount > 0 AND s.refunded_amount >= s.gross_amount) THEN 'refunded'
    WHEN s.review = 'rejected' THEN 'rejected'
    WHEN s.disputed_open = 1 THEN 'disputed'
    WHEN EXISTS (
      SELECT 1 FROM ledger_entries e
      JOIN payout_entries a ON a.entry_id = e.id AND a.live = 1
      JOIN payouts o ON o.id = a.payout_id AND o.status = 'paid'
      WHERE ${isEntryOf('e', 's')} AND e.kind = 'commission') THEN 'paid'
    WHEN s.available_at <= @now AND (s.review IS NULL OR s.review <> 'flagged') THEN 'approved'
    ELSE 'pending' END`;

const SELECT = `SELECT s.id, s.amount, s.gross_amount AS "grossAmount", s.refunded_amount AS "refundedAmount", s.currency,
    s.commission_amount AS "commissionAmount",
    (SELECT CAST(COALESCE(-SUM(e.amount), 0) AS BIGINT) FROM ledger_entries e
      WHERE ${isEntryOf('e', 's')} AND e.kind = 'reversal') AS "reversedCommissionAmount",
    ${STATUS} AS status, s.invoice_id AS "invoiceId", s.payment_processor AS "paymentProcessor",
    s.event_name AS "eventName", s.customer_id AS "customerId", c.external_id AS "externalId", c.email, c.name,
    s.program_id AS "programId", s.partner_id AS "partnerId", s.link_id AS "linkId", s.click_id AS "clickId",
    s.payment_id AS "paymentId", s.terms, s.matched_by AS "matchedBy", s.steps, s.voided_reason AS "voidedReason",
    s.review, s.metadata, s.occurred_at AS "occurredAt", s.created_at AS "createdAt"
  FROM sales s JOIN customers c ON c.id = s.customer_id
  WHERE s.account_id = @accountId`;

const CONDITIONS = {
  invoiceId: 's.invoice_id = @invoiceId',
  customerExternalId: 'c.external_id = @customerExternalId',
  partnerId: 's.partner_id = @partnerId',
  processor: 's.payment_processor = @processor',
  status: `${STATUS} = @status`,
  review: 's.review = @review',
};

/** The newest first. `now`: epoch milliseconds by which a hold is over. */
export function findSales(tx: Transaction, accountId: string, filters: Filters, now: number, bounds: PageBounds) {
  const sql = `${SELECT}${filterSql(filters, CONDITIONS)} AND s.id < @beforeId ORDER BY s.id DESC LIMIT @limit`;
  return tx.all<SaleView>(sql, { accountId, now, ...filterParameters(filters), ...bounds });
}

export function findSale(tx: Transaction, accountId: string, id: string, now: number) {
  return tx.get<SaleView>(`${SELECT} AND s.id = @id`, { accountId, id, now });
}
