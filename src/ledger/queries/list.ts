import type { AccountId, EntryId, PartnerId, PayoutId, SaleId } from '../../core/ids.ts';
import type { EntryKind } from '../../core/ledger.ts';
import { isEntryOf } from '../../storage/conditions/entries-of-sale.ts';
import type { Transaction } from '../../storage/database.ts';
import { type Filters, filterParameters, filterSql, type PageBounds } from '../../storage/list-filters.ts';

export interface EntryView {
  id: EntryId;
  partnerId: PartnerId;
  saleId: SaleId | null;
  payoutId: PayoutId | null;
  kind: EntryKind;
  amount: number;
  currency: string;
  reason: string | null;
  availableAt: number;
  createdAt: number;
}

/** By id, so that SQLite starts with the few matching entries instead of all entries of the account. */
const ENTRY_CONDITIONS = {
  partnerId: 'e.id IN (SELECT i.id FROM ledger_entries i WHERE i.partner_id = @partnerId)',
  saleId: `e.id IN (SELECT i.id FROM sales s JOIN ledger_entries i ON ${isEntryOf('i', 's')}
      WHERE s.account_id = @accountId AND s.id = @saleId)`,
  payoutId: 'e.id IN (SELECT i.entry_id FROM payout_entries i WHERE i.payout_id = @payoutId AND i.live = 1)',
};

const ENTRY = `SELECT e.id, e.partner_id AS "partnerId", e.sale_id AS "saleId", a.payout_id AS "payoutId", e.kind, e.amount,
    e.currency, e.reason, e.available_at AS "availableAt", e.created_at AS "createdAt"
  FROM ledger_entries e LEFT JOIN payout_entries a ON a.entry_id = e.id AND a.live = 1
  WHERE e.account_id = @accountId`;

/** The newest first. An entry's payout is the one that currently includes it, or null. */
export function findEntries(tx: Transaction, accountId: AccountId, filters: Filters, bounds: PageBounds) {
  return tx.all<EntryView>(
    `${ENTRY}${filterSql(filters, ENTRY_CONDITIONS)} AND e.id < @beforeId ORDER BY e.id DESC LIMIT @limit`,
    { accountId, ...filterParameters(filters), ...bounds },
  );
}

export function findEntry(tx: Transaction, accountId: AccountId, id: string) {
  return tx.get<EntryView>(`${ENTRY} AND e.id = @id`, { accountId, id });
}
