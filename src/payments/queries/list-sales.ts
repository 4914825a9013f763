import type { SaleMatch, TraceStep } from '../../core/attribution.ts';
import type { SaleTerms } from '../../core/commission.ts';
import type {
  AccountId,
  ClickId,
  CustomerId,
  LinkId,
  PartnerId,
  PaymentId,
  ProgramId,
  SaleId,
} from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { SaleStatus } from '../../core/sale.ts';
import type { Review } from '../../core/self-referral.ts';
import { isEntryOf } from '../../storage/conditions/entries-of-sale.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, filterSql, type PageBounds } from '../../storage/list-filters.ts';

/** A sale for display: money from the ledger, status from refunds, payouts and the clock. */
export interface SaleView {
  id: SaleId;
  amount: number;
  grossAmount: number;
  refundedAmount: number;
  currency: string;
  commissionAmount: number;
  reversedCommissionAmount: number;
  status: SaleStatus;
  review: Review | null;
  invoiceId: string | null;
  paymentProcessor: PaymentProcessor;
  eventName: string;
  customerId: CustomerId;
  externalId: string | null;
  email: string | null;
  name: string | null;
  programId: ProgramId;
  partnerId: PartnerId;
  linkId: LinkId | null;
  clickId: ClickId | null;
  paymentId: PaymentId;
  matchedBy: SaleMatch;
  steps: TraceStep[];
  voidedReason: string | null;
  occurredAt: number;
  createdAt: number;
}

/** One sale, including what lists omit. */
export interface SaleDetail extends SaleView {
  /** The terms applied to this sale. */
  terms: SaleTerms;
  metadata: Record<string, unknown> | null;
}

type SaleViewRow = Omit<SaleView, 'steps'> & { steps: string };
type SaleDetailRow = SaleViewRow & { terms: string; metadata: string | null };

/** The SQL of `SaleStatus`: a flagged sale stays `pending`; `approved` depends on the clock, `paid` on the commission's payout. */
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

const COLUMNS = `s.id, s.amount, s.gross_amount AS "grossAmount", s.refunded_amount AS "refundedAmount", s.currency,
    s.commission_amount AS "commissionAmount",
    (SELECT CAST(COALESCE(-SUM(e.amount), 0) AS BIGINT) FROM ledger_entries e
      WHERE ${isEntryOf('e', 's')} AND e.kind = 'reversal') AS "reversedCommissionAmount",
    ${STATUS} AS status, s.invoice_id AS "invoiceId", s.payment_processor AS "paymentProcessor",
    s.event_name AS "eventName", s.customer_id AS "customerId", c.external_id AS "externalId", c.email, c.name,
    s.program_id AS "programId", s.partner_id AS "partnerId", s.link_id AS "linkId", s.click_id AS "clickId",
    s.payment_id AS "paymentId", s.matched_by AS "matchedBy", s.steps, s.voided_reason AS "voidedReason", s.review,
    s.occurred_at AS "occurredAt", s.created_at AS "createdAt"`;

const OF_ACCOUNT = 'FROM sales s JOIN customers c ON c.id = s.customer_id WHERE s.account_id = @accountId';

const CONDITIONS = {
  invoiceId: 's.invoice_id = @invoiceId',
  customerExternalId: 'c.external_id = @customerExternalId',
  partnerId: 's.partner_id = @partnerId',
  processor: 's.payment_processor = @processor',
  status: `${STATUS} = @status`,
  review: 's.review = @review',
};

/** The newest first. A hold that ends by `now` (epoch milliseconds) is over. */
export async function findSales(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  bounds: PageBounds & { now: number },
): Promise<SaleView[]> {
  const conditions = filterSql(filters, CONDITIONS);
  const rows = await tx.all<SaleViewRow>(
    `SELECT ${COLUMNS} ${OF_ACCOUNT}${conditions} AND s.id < @beforeId ORDER BY s.id DESC LIMIT @limit`,
    { accountId, ...filterParameters(filters), ...bounds },
  );
  return rows.map(asSaleView);
}

export async function findSale(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: number,
): Promise<SaleDetail | undefined> {
  const sql = `SELECT ${COLUMNS}, s.terms, s.metadata ${OF_ACCOUNT} AND s.id = @id`;
  const row = await tx.get<SaleDetailRow>(sql, { accountId, id, now });
  if (!row) return undefined;
  const { terms, metadata, ...view } = row;
  return {
    ...asSaleView(view),
    terms: JSON.parse(terms),
    metadata: metadata === null ? null : JSON.parse(metadata),
  };
}

function asSaleView(row: SaleViewRow): SaleView {
  return { ...row, steps: JSON.parse(row.steps) };
}
