import type { AccountId, PaymentId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { type ParkedHint, TO_ERASE } from './parked-hints.ts';

/** A mark of a payment. `externalId`: see `TO_ERASE`. */
export interface ToErase {
  paymentId: PaymentId;
  externalId: string;
}

/** Marks all parked payments under an identifier; idempotent. */
export function markToErase(tx: Transaction, accountId: AccountId, { kind, value }: ParkedHint, externalId: string) {
  return tx.run(
    `INSERT INTO parked_hints (account_id, kind, value, payment_id)
     SELECT h.account_id, '${TO_ERASE}', @externalId, h.payment_id FROM parked_hints h
     WHERE h.account_id = @accountId AND h.kind = @kind AND h.value = @value
     ON CONFLICT DO NOTHING`,
    { accountId, kind, value, externalId },
  );
}

/** Some of the account's marks; their payments may not be parked any more. */
export function findToErase(tx: Transaction, accountId: AccountId, limit: number): Promise<ToErase[]> {
  return tx.all<ToErase>(
    `SELECT payment_id AS "paymentId", value AS "externalId" FROM parked_hints
     WHERE account_id = @accountId AND kind = '${TO_ERASE}' ORDER BY value, payment_id LIMIT @limit`,
    { accountId, limit },
  );
}

export function deleteToErase(tx: Transaction, accountId: AccountId, { paymentId, externalId }: ToErase) {
  return tx.run(
    `DELETE FROM parked_hints
     WHERE account_id = @accountId AND kind = '${TO_ERASE}' AND value = @externalId AND payment_id = @paymentId`,
    { accountId, paymentId, externalId },
  );
}
