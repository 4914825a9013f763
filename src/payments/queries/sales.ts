import type { SaleMatch, TraceStep } from '../../core/attribution.ts';
import type { SaleTerms } from '../../core/commission.ts';
import type { PaidLines } from '../../core/facts.ts';
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
import type { Review } from '../../core/self-referral.ts';
import type { Transaction } from '../../storage/database.ts';
import { linesAsJson } from './sale-amounts.ts';

export interface NewSale {
  id: SaleId;
  accountId: AccountId;
  programId: ProgramId;
  partnerId: PartnerId;
  linkId: LinkId | null;
  clickId: ClickId | null;
  customerId: CustomerId;
  paymentId: PaymentId;
  eventName: string;
  invoiceId: string | null;
  paymentProcessor: PaymentProcessor;
  amount: number;
  grossAmount: number;
  currency: string;
  presentmentAmount: number | null;
  presentmentCurrency: string | null;
  /** The lines that the amounts paid for; null when unknown. */
  paidLines: PaidLines | null;
  /** When the processor wrote the report that states these amounts; null when the time does not matter. */
  statedAt: number | null;
  commissionAmount: number;
  /** The terms applied to this sale. */
  terms: SaleTerms;
  availableAt: number;
  review: Review | null;
  matchedBy: SaleMatch;
  steps: TraceStep[];
  metadata: Record<string, unknown> | null;
  /** True when the amounts, of a caller's sale the total, are those of a bare report (`PaymentReceived.isBare`). */
  isBare: boolean;
  occurredAt: number;
  createdAt: number;
}

/** Adds a sale. @throws an error that `isTaken` when its invoice id or payment has a sale */
export function insertSale(tx: Transaction, sale: NewSale): Promise<number> {
  return tx.run(
    `INSERT INTO sales (id, account_id, program_id, partner_id, link_id, click_id, customer_id, payment_id, event_name,
       invoice_id, payment_processor, amount, gross_amount, currency, presentment_amount, presentment_currency,
       commission_amount, terms, available_at, refunded_amount, disputed_open, review, matched_by, steps, metadata,
       is_bare, occurred_at, created_at, paid_lines, stated_at)
     VALUES (@id, @accountId, @programId, @partnerId, @linkId, @clickId, @customerId, @paymentId, @eventName,
       @invoiceId, @paymentProcessor, @amount, @grossAmount, @currency, @presentmentAmount, @presentmentCurrency,
       @commissionAmount, @terms, @availableAt, 0, 0, @review, @matchedBy, @steps, @metadata, @isBare, @occurredAt, @createdAt,
       @paidLines, @statedAt)`,
    {
      ...sale,
      terms: JSON.stringify(sale.terms),
      steps: JSON.stringify(sale.steps),
      metadata: sale.metadata === null ? null : JSON.stringify(sale.metadata),
      isBare: sale.isBare ? 1 : 0,
      paidLines: linesAsJson(sale.paidLines),
    },
  );
}

/**
 * True for a sale that was reversed because its payment has another one, when either is a guest's: guest and customer are one
 * person, who did pay. Two customers with external ids are two, and only one of them paid.
 */
const IS_OF_GUEST = `EXISTS (
  SELECT 1 FROM payments q JOIN payments p ON p.id = q.joined_to
  JOIN sales t ON t.account_id = s.account_id AND t.id = p.sale_id
  JOIN customers c ON c.id IN (s.customer_id, t.customer_id)
  WHERE q.id = s.payment_id AND c.external_id IS NULL)`;

/** When the customer first paid, in epoch milliseconds; null before the first sale of more than nothing. */
export async function firstSaleAt(tx: Transaction, customerId: CustomerId): Promise<number | null> {
  const row = await tx.get<{ first: number | null }>(
    `SELECT MIN(s.occurred_at) AS first FROM sales s
     WHERE s.customer_id = @customerId AND s.amount > 0 AND (s.voided_reason IS NULL OR ${IS_OF_GUEST})`,
    { customerId },
  );
  return row?.first ?? null;
}

/** The sale's payment, which must be claimed before the sale is read; undefined when the account has no such sale. */
export async function findSalePayment(tx: Transaction, accountId: AccountId, id: string) {
  const row = await tx.get<{ paymentId: PaymentId; processor: PaymentProcessor }>(
    `SELECT s.payment_id AS "paymentId", p.processor FROM sales s JOIN payments p ON p.id = s.payment_id
     WHERE s.account_id = @accountId AND s.id = @saleId`,
    { accountId, saleId: id },
  );
  // a row with this id exists
  return row && { ...row, saleId: id as SaleId };
}

export async function findInvoiceId(tx: Transaction, accountId: AccountId, saleId: SaleId): Promise<string | null> {
  const row = await tx.get<{ invoiceId: string | null }>(
    'SELECT invoice_id AS "invoiceId" FROM sales WHERE account_id = @accountId AND id = @saleId',
    { accountId, saleId },
  );
  return row?.invoiceId ?? null;
}

/** Those of these invoice ids that the account has sales of. */
export async function findSoldInvoices(
  tx: Transaction,
  accountId: AccountId,
  invoiceIds: readonly string[],
): Promise<Set<string>> {
  const sql = 'SELECT invoice_id AS "invoiceId" FROM sales WHERE account_id = @accountId AND invoice_id = @invoiceId';
  const find = (invoiceId: string) => tx.get<{ invoiceId: string }>(sql, { accountId, invoiceId });
  const found = await Promise.all(invoiceIds.map(find));
  return new Set(found.flatMap((sale) => sale?.invoiceId ?? []));
}

/** The sale's trace; empty when the account has no such sale. */
export async function findSteps(tx: Transaction, accountId: AccountId, saleId: SaleId): Promise<TraceStep[]> {
  const row = await tx.get<{ steps: string }>(
    'SELECT steps FROM sales WHERE account_id = @accountId AND id = @saleId',
    { accountId, saleId },
  );
  return row ? JSON.parse(row.steps) : [];
}
