import type { AccountId, EntryId, PartnerId, SaleId } from '../../core/ids.ts';
import type { EntryKind, LedgerSums } from '../../core/ledger.ts';
import { isEntryOf } from '../../storage/conditions/entries-of-sale.ts';
import type { Transaction } from '../../storage/database.ts';

export interface NewLedgerEntry {
  id: EntryId;
  accountId: AccountId;
  partnerId: PartnerId;
  saleId: SaleId | null;
  kind: EntryKind;
  /** Signed minor units. */
  amount: number;
  currency: string;
  reason: string | null;
  availableAt: number;
  createdAt: number;
}

/** Appends an entry. No query changes or deletes one. */
export function insertEntry(tx: Transaction, entry: NewLedgerEntry) {
  return tx.run(
    `INSERT INTO ledger_entries (id, account_id, partner_id, sale_id, kind, amount, currency, reason, available_at,
       created_at)
     VALUES (@id, @accountId, @partnerId, @saleId, @kind, @amount, @currency, @reason, @availableAt,
       @createdAt)`,
    { ...entry },
  );
}

/** The ledger's sums for one sale. */
export async function sumOfSale(tx: Transaction, accountId: AccountId, saleId: SaleId): Promise<LedgerSums> {
  const rows = await tx.all<{ kind: EntryKind; amount: number }>(
    `SELECT e.kind, CAST(SUM(e.amount) AS BIGINT) AS amount
     FROM sales s JOIN ledger_entries e ON ${isEntryOf('e', 's')}
     WHERE s.account_id = @accountId AND s.id = @saleId GROUP BY e.kind`,
    { accountId, saleId },
  );
  const of = (...kinds: EntryKind[]) =>
    rows.filter((row) => kinds.includes(row.kind)).reduce((sum, row) => sum + row.amount, 0);
  return {
    commissionMinor: of('commission'),
    reversalMinor: of('reversal'),
    holdMinor: of('dispute_hold', 'dispute_release'),
  };
}
