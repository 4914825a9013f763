import type { Transaction } from '../../storage/database.ts';
import type { PageBounds } from '../../storage/list-filters.ts';

export interface ParkedView {
  id: string;
  processor: string;
  /** JSON: the fact and the steps that were tried. */
  fact: string;
  steps: string;
  occurredAt: number;
  expiresAt: number;
}

const PARKED = `SELECT id, processor, fact, steps, occurred_at AS "occurredAt", expires_at AS "expiresAt"
  FROM payments WHERE account_id = @accountId AND state = 'parked'`;

/** The newest first; also those whose time is over, which are attributed by hand only. */
export function findParked(tx: Transaction, accountId: string, bounds: PageBounds) {
  return tx.all<ParkedView>(`${PARKED} AND id < @beforeId ORDER BY id DESC LIMIT @limit`, { accountId, ...bounds });
}

export function findParkedPayment(tx: Transaction, accountId: string, id: string) {
  return tx.get<ParkedView>(`${PARKED} AND id = @id`, { accountId, id });
}
