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
import type { Transaction } from '../../storage/database.ts';
import {
  type Filters,
  type ListSql,
  listParameters,
  narrowSql,
  orderOfPartner,
  type PageBounds,
  pageSql,
  rowConditions,
  walkOf,
  walkOfAccount,
  walkOfPartner,
  walkOfPeriod,
} from '../../storage/list-filters.ts';
import { conditionOf, STATUS } from './sale-status.ts';

/** A sale for display. Money comes from the ledger, the status from refunds, payouts and the clock. */
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
  partnerName: string;
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
  /** The terms applied to this sale; null when its commission was earned elsewhere. */
  terms: Pick<SaleTerms, 'commission' | 'source' | 'durationMonths' | 'holdDays' | 'amountBasis'> | null;
  metadata: Record<string, unknown> | null;
}

type SaleViewRow = Omit<SaleView, 'steps'> & { steps: string };
type SaleDetailRow = SaleViewRow & { terms: string; metadata: string | null };

const PARTNER_NAME = '(SELECT n.name FROM partners n WHERE n.id = s.partner_id)';

const COLUMNS = `s.id, s.amount, s.gross_amount AS "grossAmount", s.refunded_amount AS "refundedAmount", s.currency,
    s.commission_amount AS "commissionAmount",
    (SELECT CAST(COALESCE(-SUM(e.amount), 0) AS BIGINT) FROM ledger_entries e
      WHERE e.sale_id = s.id AND e.kind = 'reversal') AS "reversedCommissionAmount",
    ${STATUS} AS status, s.invoice_id AS "invoiceId", s.payment_processor AS "paymentProcessor",
    s.event_name AS "eventName", s.customer_id AS "customerId", c.external_id AS "externalId", c.email, c.name,
    s.program_id AS "programId", s.partner_id AS "partnerId",
    ${PARTNER_NAME} AS "partnerName", s.link_id AS "linkId", s.click_id AS "clickId",
    s.payment_id AS "paymentId", s.matched_by AS "matchedBy", s.steps, s.voided_reason AS "voidedReason", s.review,
    s.occurred_at AS "occurredAt", s.created_at AS "createdAt"`;

const FROM_SALES = 'FROM sales s JOIN customers c ON c.id = s.customer_id WHERE';

const FILTERED = {
  customerExternalId: '(SELECT b.external_id FROM customers b WHERE b.id = s.customer_id)',
  invoiceId: 's.invoice_id',
  review: 's.review',
  partnerId: 's.partner_id',
  processor: 's.payment_processor',
  status: STATUS,
};

const OF_CUSTOMER = `s.customer_id = (SELECT b.id FROM customers b
    WHERE b.account_id = @accountId AND b.external_id = @customerExternalId)`;

const NARROW = {
  time: 's.created_at',
  columns: { programId: 's.program_id', linkId: 's.link_id', currency: 's.currency' },
};

/**
 * The sale of an invoice, or the sales of a customer found by external id or lower-case address. Account and id are
 * compared together: the account alone would let PostgreSQL read all of its sales instead.
 */
const OF_SEARCH = `(s.account_id, s.id) IN (SELECT found.account_id, found.id FROM (
    SELECT i.account_id, i.id FROM sales i WHERE i.account_id = @accountId AND i.invoice_id = @search
    UNION SELECT k.account_id, k.id FROM customers b JOIN sales k ON k.customer_id = b.id
      WHERE b.account_id = @accountId AND b.external_id = @search
    UNION SELECT k.account_id, k.id FROM customers b JOIN sales k ON k.customer_id = b.id
      WHERE b.account_id = @accountId AND b.email_lower = @email) AS found)`;

/**
 * The rank of a status among the filters that may lead the query. Rare statuses have few sales. Unpaid sales are fewer
 * than those of a processor; paid sales are not.
 */
const LEADING_STATUSES: Readonly<Record<SaleStatus, number>> = {
  refunded: 1,
  rejected: 1,
  disputed: 1,
  approved: 2,
  pending: 2,
  paid: 3,
};

function walksFor(filters: Filters): ListSql['walks'] {
  const status = filters.status as SaleStatus | null | undefined;
  const others = rowConditions(filters, FILTERED, 'status') + narrowSql(filters, { narrow: NARROW });
  const byStatus = (rank: number) =>
    status && LEADING_STATUSES[status] === rank ? { status: walkOfAccount('s', conditionOf(status, others)) } : {};
  return {
    search: walkOf('s', OF_SEARCH),
    customerExternalId: walkOf('s', OF_CUSTOMER),
    invoiceId: walkOfAccount('s', 's.invoice_id = @invoiceId'),
    ...byStatus(1),
    review: walkOfAccount('s', 's.review = @review'),
    partnerId: walkOfPartner('s', 'sales'),
    period: walkOfPeriod('s'),
    ...byStatus(2),
    processor: walkOfAccount('s', 's.payment_processor = @processor'),
    ...byStatus(3),
  };
}

/** How the rows of one partner are sorted; the filter `partnerId` may be missing. */
export const orderOfSales = (filters: Filters) => orderOfPartner(filters, walksFor(filters));

/**
 * Newest first. A hold that ends at or before `now` (epoch milliseconds) is over. The filter `search` holds the search
 * text, and `email` the address to search for.
 */
export async function findSales(
  tx: Transaction,
  accountId: AccountId,
  filters: Filters,
  bounds: PageBounds & { now: number },
): Promise<SaleView[]> {
  const page = pageSql(filters, { alias: 's', columns: FILTERED, walks: walksFor(filters), narrow: NARROW });
  const rows = await tx.all<SaleViewRow>(`SELECT ${COLUMNS} ${FROM_SALES} ${page}`, {
    accountId,
    now: bounds.now,
    ...listParameters(filters, bounds),
  });
  return rows.map(asSaleView);
}

export async function findSale(
  tx: Transaction,
  accountId: AccountId,
  id: string,
  now: number,
): Promise<SaleDetail | undefined> {
  const sql = `SELECT ${COLUMNS}, s.terms, s.metadata ${FROM_SALES} s.account_id = @accountId AND s.id = @id`;
  const row = await tx.get<SaleDetailRow>(sql, { accountId, id, now });
  if (!row) return undefined;
  const { terms, metadata, ...view } = row;
  const { commission, source, durationMonths, holdDays, amountBasis, isEarnedElsewhere }: SaleTerms = JSON.parse(terms);
  return {
    ...asSaleView(view),
    terms: isEarnedElsewhere ? null : { commission, source, durationMonths, holdDays, amountBasis },
    metadata: metadata === null ? null : JSON.parse(metadata),
  };
}

function asSaleView(row: SaleViewRow): SaleView {
  return { ...row, steps: JSON.parse(row.steps) };
}
