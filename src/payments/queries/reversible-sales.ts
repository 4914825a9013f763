import type { TraceStep } from '../../core/attribution.ts';
import type { AccountId, DeliveryId, SaleId } from '../../core/ids.ts';
import type { Review } from '../../core/self-referral.ts';
import type { Transaction } from '../../storage/database.ts';
import { inAccount, manyIds } from '../../storage/many-ids.ts';
import type { NewSale } from './sales.ts';

/** What is not needed of a sale to reverse it, or to correct its amounts. */
type Unneeded = 'clickId' | 'eventName' | 'invoiceId' | 'paymentProcessor' | 'matchedBy' | 'steps' | 'metadata';

/** The part of a sale that matters to refunds, disputes and duplicates. */
export interface ReversibleSale extends Omit<NewSale, Unneeded> {
  refundedAmount: number;
  disputedOpen: boolean;
  voidedReason: string | null;
  /** True when no webhook has reported this payment yet. */
  isFromApi: boolean;
}

type ReversibleSaleRow = Omit<ReversibleSale, 'disputedOpen' | 'isFromApi' | 'isBare' | 'terms' | 'paidLines'> & {
  terms: string;
  paidLines: string | null;
  disputedOpen: number;
  isBare: number;
  deliveryId: DeliveryId | null;
};

const REVERSIBLE_SALE = `
  SELECT s.id, s.account_id AS "accountId", s.program_id AS "programId", s.partner_id AS "partnerId",
    s.link_id AS "linkId", s.customer_id AS "customerId", s.payment_id AS "paymentId", s.amount,
    s.gross_amount AS "grossAmount", s.currency, s.created_at AS "createdAt",
    s.presentment_amount AS "presentmentAmount", s.presentment_currency AS "presentmentCurrency",
    s.paid_lines AS "paidLines", s.stated_at AS "statedAt", s.commission_amount AS "commissionAmount", s.terms,
    s.available_at AS "availableAt", s.occurred_at AS "occurredAt", s.is_bare AS "isBare",
    s.refunded_amount AS "refundedAmount", s.disputed_open AS "disputedOpen", s.voided_reason AS "voidedReason",
    s.review, p.delivery_id AS "deliveryId"
  FROM sales s JOIN payments p ON p.id = s.payment_id`;

export async function findReversibleSale(
  tx: Transaction,
  accountId: AccountId,
  saleId: SaleId,
): Promise<ReversibleSale | undefined> {
  const sql = `${REVERSIBLE_SALE} WHERE s.account_id = @accountId AND s.id = @saleId`;
  const row = await tx.get<ReversibleSaleRow>(sql, { accountId, saleId });
  return row && asReversibleSale(row);
}

const allReversibleSales = manyIds<ReversibleSaleRow>((list) => `${REVERSIBLE_SALE} WHERE ${inAccount('s', list)}`);

/** Those of the requested sales that the account has, in any order. */
export async function findReversibleSales(
  tx: Transaction,
  accountId: AccountId,
  saleIds: readonly SaleId[],
): Promise<ReversibleSale[]> {
  return (await allReversibleSales(tx, saleIds, { accountId })).map(asReversibleSale);
}

function asReversibleSale(row: ReversibleSaleRow): ReversibleSale {
  const { terms, paidLines, disputedOpen, isBare, deliveryId, ...sale } = row;
  return {
    ...sale,
    paidLines: paidLines === null ? null : JSON.parse(paidLines),
    terms: JSON.parse(terms),
    disputedOpen: disputedOpen === 1,
    isFromApi: deliveryId === null,
    isBare: isBare === 1,
  };
}

/** Stores the refunded amount and the dispute state with the sale. The effect on the commission is in the ledger. */
export function updateReversed(tx: Transaction, { accountId, id, refundedAmount, disputedOpen }: ReversibleSale) {
  return tx.run(
    `UPDATE sales SET refunded_amount = @refundedAmount, disputed_open = @disputedOpen
     WHERE account_id = @accountId AND id = @id`,
    { accountId, id, refundedAmount, disputedOpen: disputedOpen ? 1 : 0 },
  );
}

export function storeVoid(tx: Transaction, accountId: AccountId, saleId: SaleId, reason: string) {
  return tx.run('UPDATE sales SET voided_reason = @reason WHERE account_id = @accountId AND id = @saleId', {
    accountId,
    saleId,
    reason,
  });
}

/** Stores the time of a sale with what it earns by it, and the trace that records it. */
export function updateTime(tx: Transaction, sale: ReversibleSale, steps: readonly TraceStep[]) {
  const { accountId, id, occurredAt, commissionAmount, terms } = sale;
  return tx.run(
    `UPDATE sales SET occurred_at = @occurredAt, commission_amount = @commissionAmount, terms = @terms, steps = @steps
     WHERE account_id = @accountId AND id = @id`,
    { accountId, id, occurredAt, commissionAmount, terms: JSON.stringify(terms), steps: JSON.stringify(steps) },
  );
}

/** Stores the review of a sale, and the trace that records it. */
export function updateReview(tx: Transaction, sale: ReversibleSale, review: Review, steps: readonly TraceStep[]) {
  const { accountId, id } = sale;
  return tx.run('UPDATE sales SET review = @review, steps = @steps WHERE account_id = @accountId AND id = @id', {
    accountId,
    id,
    review,
    steps: JSON.stringify(steps),
  });
}
