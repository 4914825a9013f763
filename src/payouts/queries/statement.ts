import type { AccountId, EntryId, PartnerId, PayoutId, SaleId } from '../../core/ids.ts';
import type { EntryKind } from '../../core/ledger.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { Transaction } from '../../storage/database.ts';

/** A payout, with its payer and payee. */
export interface StatementHead {
  id: PayoutId;
  programName: string;
  partnerId: PartnerId;
  partnerName: string;
  partnerEmail: string;
  currency: string;
  /** Minor units. */
  amount: number;
  entryCount: number;
  status: PayoutStatus;
  processingAt: number | null;
  paidAt: number | null;
  /** The creation times of its first and last entry; null without entries. */
  firstAt: number | null;
  lastAt: number | null;
}

const atEnd = (order: 'ASC' | 'DESC') => `(SELECT e.created_at FROM payout_entries a CROSS JOIN ledger_entries e
    WHERE a.payout_id = p.id AND a.live <> 0 AND e.account_id = a.account_id AND e.id = a.entry_id
    ORDER BY a.entry_id ${order} LIMIT 1)`;

export function findStatementHead(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<StatementHead>(
    `SELECT p.id, g.name AS "programName", p.partner_id AS "partnerId", n.name AS "partnerName",
       n.email AS "partnerEmail", p.currency, p.amount, p.entry_count AS "entryCount", p.status,
       p.processing_at AS "processingAt", p.paid_at AS "paidAt",
       ${atEnd('ASC')} AS "firstAt", ${atEnd('DESC')} AS "lastAt"
     FROM payouts p JOIN programs g ON g.id = p.program_id JOIN partners n ON n.id = p.partner_id
     WHERE p.account_id = @accountId AND p.id = @id`,
    { accountId, id },
  );
}

/** An entry that a payout pays, and the sale behind it. */
export interface StatementEntry {
  id: EntryId;
  createdAt: number;
  kind: EntryKind;
  amount: number;
  reason: string | null;
  saleId: SaleId | null;
  soldAt: number | null;
  saleAmount: number | null;
  customerEmail: string | null;
}

/** Entries that a payout includes, with ids above `afterId`, oldest first. */
export function findStatementEntries(
  tx: Transaction,
  payoutId: PayoutId,
  { afterId, limit }: { afterId: string; limit: number },
) {
  return tx.all<StatementEntry>(
    `SELECT e.id, e.created_at AS "createdAt", e.kind, e.amount, e.reason, e.sale_id AS "saleId",
       s.occurred_at AS "soldAt", s.amount AS "saleAmount",
       (SELECT c.email FROM customers c WHERE c.id = s.customer_id) AS "customerEmail"
     FROM payout_entries a CROSS JOIN ledger_entries e
       LEFT JOIN sales s ON s.account_id = e.account_id AND s.id = e.sale_id
     WHERE a.payout_id = @payoutId AND a.live <> 0 AND a.entry_id > @afterId
       AND e.account_id = a.account_id AND e.id = a.entry_id
     ORDER BY a.entry_id LIMIT @limit`,
    { payoutId, afterId, limit },
  );
}
