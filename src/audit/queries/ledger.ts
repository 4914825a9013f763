import type { AccountId, EntryId, PartnerId, PaymentId, PayoutId, SaleId } from '../../core/ids.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import { isEntryOf } from '../../storage/conditions/entries-of-sale.ts';
import type { Transaction } from '../../storage/database.ts';

/** The stored amounts of one sale, and the sums of its ledger entries (signed minor units). */
export interface SaleBalance {
  id: SaleId;
  paymentId: PaymentId;
  commissionAmount: number;
  refundedAmount: number;
  disputedOpen: boolean;
  commissionSum: number;
  reversalSum: number;
  holdSum: number;
  /** A refund, a dispute or a review may have reduced the commission. */
  isTouched: boolean;
}

type SaleBalanceRow = Omit<SaleBalance, 'disputedOpen' | 'isTouched'> & { disputedOpen: number; isTouched: number };

/** A ledger entry of a sale. */
export interface EntryOfSale {
  id: EntryId;
  saleId: SaleId;
  /** Its partner, currency or time differs from its sale's. */
  isStray: boolean;
}

/** The stored amounts of one payout, and the sums of its assigned entries. */
export interface PayoutBalance {
  id: PayoutId;
  partnerId: PartnerId;
  currency: string;
  status: PayoutStatus;
  amount: number | null;
  entryCount: number | null;
  assignedSum: number;
  assignedCount: number;
  liveCount: number;
  /** Assigned entries of another partner or currency. */
  strayCount: number;
}

const sumOfKinds = (kinds: string) =>
  `CAST(COALESCE(SUM(CASE WHEN e.kind IN (${kinds}) THEN e.amount ELSE 0 END), 0) AS BIGINT)`;

const saleBalances = (ids: string) => `
  SELECT s.id, s.payment_id AS "paymentId", s.commission_amount AS "commissionAmount",
    s.refunded_amount AS "refundedAmount", s.disputed_open AS "disputedOpen",
    ${sumOfKinds("'commission'")} AS "commissionSum", ${sumOfKinds("'reversal'")} AS "reversalSum",
    ${sumOfKinds("'dispute_hold', 'dispute_release'")} AS "holdSum",
    CASE WHEN s.voided_reason IS NOT NULL OR s.review = 'rejected'
      OR EXISTS (SELECT 1 FROM refunds r WHERE r.payment_id = s.payment_id)
      OR EXISTS (SELECT 1 FROM disputes d WHERE d.payment_id = s.payment_id) THEN 1 ELSE 0 END AS "isTouched"
  FROM sales s LEFT JOIN ledger_entries e ON ${isEntryOf('e', 's')}
  WHERE s.account_id = @accountId AND s.id IN (${ids})
  GROUP BY s.account_id, s.id
  ORDER BY s.id`;

const SALE_PAGE = saleBalances(
  'SELECT i.id FROM sales i WHERE i.account_id = @accountId AND i.id > @afterId ORDER BY i.id LIMIT @limit',
);
const ONE_SALE = saleBalances('@id');

/** The account's sales with ids above `afterId`, in the order of their ids. */
export async function findSaleBalances(
  tx: Transaction,
  accountId: AccountId,
  afterId: string,
  limit: number,
): Promise<SaleBalance[]> {
  return (await tx.all<SaleBalanceRow>(SALE_PAGE, { accountId, afterId, limit })).map(asSaleBalance);
}

export async function findSaleBalance(
  tx: Transaction,
  accountId: AccountId,
  id: SaleId,
): Promise<SaleBalance | undefined> {
  const row = await tx.get<SaleBalanceRow>(ONE_SALE, { accountId, id });
  return row && asSaleBalance(row);
}

function asSaleBalance(row: SaleBalanceRow): SaleBalance {
  return { ...row, disputedOpen: row.disputedOpen === 1, isTouched: row.isTouched === 1 };
}

/** The account's sale entries with ids above `afterId`, in the order of their ids. */
export async function findEntriesOfSales(
  tx: Transaction,
  accountId: AccountId,
  afterId: string,
  limit: number,
): Promise<EntryOfSale[]> {
  const rows = await tx.all<Omit<EntryOfSale, 'isStray'> & { isStray: number }>(
    `SELECT e.id, e.sale_id AS "saleId", CASE WHEN ${isEntryOf('e', 's')} THEN 0 ELSE 1 END AS "isStray"
     FROM ledger_entries e JOIN sales s ON s.account_id = e.account_id AND s.id = e.sale_id
     WHERE e.account_id = @accountId AND e.id > @afterId
     ORDER BY e.id LIMIT @limit`,
    { accountId, afterId, limit },
  );
  return rows.map((row) => ({ ...row, isStray: row.isStray === 1 }));
}

const payoutBalances = (ids: string) => `
  SELECT p.id, p.partner_id AS "partnerId", p.currency, p.status, p.amount, p.entry_count AS "entryCount",
    CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) AS "assignedSum", COUNT(e.id) AS "assignedCount",
    COALESCE(SUM(a.live), 0) AS "liveCount",
    SUM(CASE WHEN e.partner_id <> p.partner_id OR e.currency <> p.currency THEN 1 ELSE 0 END) AS "strayCount"
  FROM payouts p
  LEFT JOIN payout_entries a ON a.payout_id = p.id
  LEFT JOIN ledger_entries e ON e.account_id = p.account_id AND e.id = a.entry_id
  WHERE p.id IN (${ids})
  GROUP BY p.id
  ORDER BY p.id`;

const PAYOUT_PAGE = payoutBalances(
  'SELECT i.id FROM payouts i WHERE i.account_id = @accountId AND i.id > @afterId ORDER BY i.id LIMIT @limit',
);
const ONE_PAYOUT = payoutBalances('@id');

/** The account's payouts with ids above `afterId`, in the order of their ids. */
export function findPayoutBalances(tx: Transaction, accountId: AccountId, afterId: string, limit: number) {
  return tx.all<PayoutBalance>(PAYOUT_PAGE, { accountId, afterId, limit });
}

export function findPayoutBalance(tx: Transaction, id: PayoutId) {
  return tx.get<PayoutBalance>(ONE_PAYOUT, { id });
}

/** Partners with ids above `afterId`, one row per currency with entries but no queued payout, or with null for none. */
export function findUnqueued(tx: Transaction, accountId: AccountId, afterId: string, limit: number) {
  return tx.all<{ id: PartnerId; currency: string | null }>(
    `SELECT DISTINCT r.id, e.currency
     FROM partners r LEFT JOIN ledger_entries e ON e.partner_id = r.id AND NOT EXISTS (
       SELECT 1 FROM payouts p WHERE p.partner_id = e.partner_id AND p.currency = e.currency AND p.status = 'queued')
     WHERE r.id IN (SELECT i.id FROM partners i WHERE i.account_id = @accountId AND i.id > @afterId ORDER BY i.id LIMIT @limit)
     ORDER BY r.id`,
    { accountId, afterId, limit },
  );
}
