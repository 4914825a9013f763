import type { AccountId, PartnerId, PayoutId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** A type, not an interface, so that it can serve as parameters. */
export type ImportedPayoutQuery = {
  accountId: AccountId;
  partnerId: PartnerId;
  currency: string;
  /** The names under which records of the service are stored. */
  source: string;
  otherSource: string;
  /** Where the service's id of the payout begins in the note, from 1. */
  idFrom: number;
  /** `single`: of one commission, which names no payout. `as a whole`: of no commission. */
  state: 'single' | 'as a whole';
};

/**
 * A payout of the partner that was imported from the service, whichever way and with whichever version; not one of 0,
 * which paid nothing. A payout without entries is new in this unit of work. Reads the partner's payouts, and not all of
 * the account's.
 */
export function findImportedPayout(tx: Transaction, query: ImportedPayoutQuery): Promise<{ id: PayoutId } | undefined> {
  return tx.get(
    `SELECT p.id FROM payouts p CROSS JOIN imported_records r
     WHERE p.partner_id = @partnerId AND p.currency = @currency AND (p.amount <> 0 OR p.entry_count = 0)
       AND r.account_id = @accountId AND r.source IN (@source, @otherSource) AND r.kind = 'payout'
       AND r.source_id = SUBSTR(p.note, @idFrom) || ' ' || p.currency AND r.own_id = p.id
       AND CASE WHEN r.state = 'of commissions' AND r.source_id LIKE 'commission %' THEN 'single' ELSE r.state END = @state
     LIMIT 1`,
    query,
  );
}
