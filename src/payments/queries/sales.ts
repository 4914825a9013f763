import type { MatchedBy } from '../../core/attribution.ts';
import type { Review } from '../../core/self-referral.ts';
import type { Transaction } from '../../storage/database.ts';

export interface NewSale {
  id: string;
  accountId: string;
  programId: string;
  partnerId: string;
  linkId: string | null;
  clickId: string | null;
  customerId: string;
  paymentId: string;
  eventName: string;
  invoiceId: string | null;
  paymentProcessor: string;
  amount: number;
  grossAmount: number;
  currency: string;
  presentmentAmount: number | null;
  presentmentCurrency: string | null;
  commissionAmount: number;
  /** The terms that were applied, as JSON. */
  terms: string;
  availableAt: number;
  review: Review | null;
  matchedBy: MatchedBy | 'by_hand';
  /** The trace, as JSON. */
  steps: string;
  metadata: string | null;
  occurredAt: number;
  createdAt: number;
}

/** False when the invoice is taken. */
export async function insertSale(tx: Transaction, sale: NewSale): Promise<boolean> {
  const changed = await tx.run(
    `INSERT INTO sales (id, account_id, program_id, partner_id, link_id, click_id, customer_id, payment_id, event_name,
       invoice_id, payment_processor, amount, gross_amount, currency, presentment_amount, presentment_currency,
       commission_amount, terms, available_at, refunded_amount, disputed_open, review, matched_by, steps, metadata,
       occurred_at, created_at)
     VALUES (@id, @accountId, @programId, @partnerId, @linkId, @clickId, @customerId, @paymentId, @eventName,
       @invoiceId, @paymentProcessor, @amount, @grossAmount, @currency, @presentmentAmount, @presentmentCurrency,
       @commissionAmount, @terms, @availableAt, 0, 0, @review, @matchedBy, @steps, @metadata, @occurredAt, @createdAt)
     ON CONFLICT DO NOTHING`,
    { ...sale },
  );
  return changed === 1;
}

/** When the customer first paid; null before. */
export async function firstSaleAt(tx: Transaction, customerId: string): Promise<number | null> {
  const row = await tx.get<{ first: number | null }>(
    'SELECT MIN(occurred_at) AS first FROM sales WHERE customer_id = @customerId AND voided_reason IS NULL',
    { customerId },
  );
  return row?.first ?? null;
}

/** What a reversal of a sale is computed from. */
export interface ReversibleSale {
  id: string;
  accountId: string;
  programId: string;
  partnerId: string;
  customerId: string;
  paymentId: string;
  grossAmount: number;
  currency: string;
  presentmentAmount: number | null;
  presentmentCurrency: string | null;
  commissionAmount: number;
  availableAt: number;
  refundedAmount: number;
  disputedOpen: number;
  voidedReason: string | null;
  review: Review | null;
  /** The trace, as JSON. */
  steps: string;
  /** 1 when no webhook has told of this payment yet. */
  fromApi: number;
}

const REVERSIBLE = `SELECT s.id, s.account_id AS "accountId", s.program_id AS "programId", s.partner_id AS "partnerId",
    s.customer_id AS "customerId", s.payment_id AS "paymentId", s.gross_amount AS "grossAmount", s.currency,
    s.presentment_amount AS "presentmentAmount", s.presentment_currency AS "presentmentCurrency",
    s.commission_amount AS "commissionAmount", s.available_at AS "availableAt", s.refunded_amount AS "refundedAmount",
    s.disputed_open AS "disputedOpen", s.voided_reason AS "voidedReason", s.review, s.steps,
    CASE WHEN p.delivery_id IS NULL THEN 1 ELSE 0 END AS "fromApi"
  FROM sales s JOIN payments p ON p.id = s.payment_id
  WHERE s.account_id = @accountId AND s.id = @saleId`;

export function getReversibleSale(tx: Transaction, accountId: string, saleId: string) {
  return tx.get<ReversibleSale>(REVERSIBLE, { accountId, saleId });
}

/** Keeps what refunds and disputes come to beside the sale; the ledger has the commission's side. */
export function updateReversed(tx: Transaction, sale: ReversibleSale, refundedAmount: number, disputedOpen: boolean) {
  return tx.run(
    `UPDATE sales SET refunded_amount = @refundedAmount, disputed_open = @disputedOpen
     WHERE account_id = @accountId AND id = @id`,
    { accountId: sale.accountId, id: sale.id, refundedAmount, disputedOpen: disputedOpen ? 1 : 0 },
  );
}

export function voidSale(tx: Transaction, accountId: string, saleId: string, reason: string) {
  return tx.run('UPDATE sales SET voided_reason = @reason WHERE account_id = @accountId AND id = @saleId', {
    accountId,
    saleId,
    reason,
  });
}

/** Whose sale it is and by which payment, before anything is claimed; undefined for another account's. */
export function findSalePayment(tx: Transaction, accountId: string, saleId: string) {
  return tx.get<{ paymentId: string; processor: string }>(
    `SELECT s.payment_id AS "paymentId", p.processor FROM sales s JOIN payments p ON p.id = s.payment_id
     WHERE s.account_id = @accountId AND s.id = @saleId`,
    { accountId, saleId },
  );
}

/** Keeps a decision about a sale, with the trace that tells of it (JSON). */
export function updateReview(tx: Transaction, sale: ReversibleSale, review: Review, steps: string) {
  const { accountId, id } = sale;
  return tx.run('UPDATE sales SET review = @review, steps = @steps WHERE account_id = @accountId AND id = @id', {
    accountId,
    id,
    review,
    steps,
  });
}

export interface ProcessorAmounts {
  grossAmount: number;
  presentmentAmount: number | null;
  presentmentCurrency: string | null;
}

/** The processor's own total takes the place of an API sale's amount as the base of its refunds. */
export function updateGross(tx: Transaction, sale: ReversibleSale, amounts: ProcessorAmounts) {
  const { grossAmount, presentmentAmount, presentmentCurrency } = amounts;
  return tx.run(
    `UPDATE sales SET gross_amount = @grossAmount, presentment_amount = @presentmentAmount,
       presentment_currency = @presentmentCurrency
     WHERE account_id = @accountId AND id = @id`,
    { accountId: sale.accountId, id: sale.id, grossAmount, presentmentAmount, presentmentCurrency },
  );
}
