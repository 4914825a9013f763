import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/**
 * Identifies something at another service; the `sale` of a commission, by our id of the sale. A type and not an
 * interface, so that it can be passed as SQL parameters.
 */
export type RecordKey = {
  source: string;
  kind: 'program' | 'partner' | 'commission' | 'payout' | 'sale' | 'payment';
  sourceId: string;
};

/**
 * What it became here, and the state and amount (minor units) with which it was imported. The state of a sale, or of a
 * payment whose commission is an entry, is the id of its commission.
 */
export type ImportedRecord = {
  ownId: string;
  state: string | null;
  amount: number | null;
  currency: string | null;
};

/** A partner or program that was deleted since is not found, so that it can be imported again. */
export function findRecord(tx: Transaction, accountId: AccountId, key: RecordKey): Promise<ImportedRecord | undefined> {
  return tx.get(
    `SELECT own_id AS "ownId", state, amount, currency FROM imported_records
     WHERE account_id = @accountId AND source = @source AND kind = @kind AND source_id = @sourceId
       AND NOT EXISTS (SELECT 1 FROM partners p WHERE p.id = own_id AND p.deleted_at IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM programs g WHERE g.id = own_id AND g.deleted_at IS NOT NULL)`,
    { accountId, ...key },
  );
}

/** Whether a program of the source became this program here. */
export async function isImportedProgram(
  tx: Transaction,
  accountId: AccountId,
  { source, ownId }: { source: string; ownId: string },
): Promise<boolean> {
  const known = await tx.get(
    `SELECT 1 AS known FROM imported_records
     WHERE account_id = @accountId AND source = @source AND kind = 'program' AND own_id = @ownId LIMIT 1`,
    { accountId, source, ownId },
  );
  return known !== undefined;
}

/** Stores a record, or updates its state. The unit does not wait for it. */
export function putRecord(tx: Transaction, accountId: AccountId, key: RecordKey, record: ImportedRecord): void {
  const stored = tx.run(
    `INSERT INTO imported_records (account_id, source, kind, source_id, own_id, state, amount, currency)
     VALUES (@accountId, @source, @kind, @sourceId, @ownId, @state, @amount, @currency)
     ON CONFLICT (account_id, source, kind, source_id)
     DO UPDATE SET own_id = excluded.own_id, state = excluded.state, amount = excluded.amount,
       currency = excluded.currency`,
    { accountId, ...key, ...record },
  );
  tx.unawaited(stored);
}
