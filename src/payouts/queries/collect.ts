import type { PartnerId, PayoutId } from '../../core/ids.ts';
import { dayOf, dueDayOf } from '../../storage/conditions/ledger-days.ts';
import { safeSum } from '../../storage/conditions/safe-sums.ts';
import type { Transaction } from '../../storage/database.ts';
import { type DueRange, IN_RANGE, rangeParameters } from './due.ts';
import type { PayoutSum } from './queued.ts';

/** A queued payout that no other unit can change before this unit ends. */
export interface LockedPayout {
  /** Includes what is collected; null beyond ±(2^53 − 1). */
  amount: number | null;
  entryCount: number;
  collectingAt: number | null;
  collectedAmount: number;
  collectedCount: number;
  /** Set while the payout's entries are being given back. */
  settlingAfter: string | null;
  /** The start of the payout before it, if there was one. */
  createdAt: number;
}

/**
 * Locks a queued payout; undefined when it is no longer queued. Every unit that adds an entry of the partner and
 * currency updates this row and therefore waits. Until this unit ends, it sees the same open entries.
 */
export function lockQueued(tx: Transaction, id: PayoutId) {
  return tx.get<LockedPayout>(
    `UPDATE payouts SET collected_count = collected_count WHERE id = @id AND status = 'queued'
     RETURNING ${safeSum('amount')} AS amount, entry_count AS "entryCount", collecting_at AS "collectingAt",
       collected_amount AS "collectedAmount", collected_count AS "collectedCount", settling_after AS "settlingAfter",
       created_at AS "createdAt"`,
    { id },
  );
}

/** True when a payout that was started in this time failed or was canceled. */
export async function isAnyGivenBack(
  tx: Transaction,
  { partnerId, currency }: { partnerId: PartnerId; currency: string },
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  const found = await tx.get(
    `SELECT 1 AS one FROM payouts WHERE partner_id = @partnerId AND currency = @currency
       AND status IN ('failed', 'canceled') AND processing_at >= @from AND processing_at < @to LIMIT 1`,
    { partnerId, currency, from, to },
  );
  return found !== undefined;
}

const SUMS_PER_DAY = `
  SELECT ${dayOf('o.created_at')} AS day, ${dueDayOf('o.created_at', 'o.due_at')} AS due_day,
    CAST(SUM(o.amount) AS BIGINT) AS amount
  FROM open_entries o WHERE ${IN_RANGE}
  GROUP BY ${dayOf('o.created_at')}, ${dueDayOf('o.created_at', 'o.due_at')}`;

/** Moves open entries to a payout and updates the sums that depend on them. The payout is locked. */
export async function assignRange(tx: Transaction, id: PayoutId, range: DueRange): Promise<void> {
  const parameters = rangeParameters(range);
  await tx.run(
    `INSERT INTO payout_entries (payout_id, account_id, entry_id, live, sale_id)
     SELECT @id, o.account_id, o.entry_id, 1, CASE WHEN o.kind = 'commission' THEN o.sale_id END
     FROM open_entries o WHERE ${IN_RANGE}`,
    { id, ...parameters },
  );
  await tx.run(
    `INSERT INTO payout_days (payout_id, day, due_day, amount)
     SELECT @id, g.day, g.due_day, g.amount FROM (${SUMS_PER_DAY}) g WHERE TRUE
     ON CONFLICT (payout_id, day, due_day) DO UPDATE SET amount = payout_days.amount + excluded.amount`,
    { id, ...parameters },
  );
  await tx.run(
    `UPDATE ledger_days SET in_payouts = ledger_days.in_payouts + g.amount FROM (${SUMS_PER_DAY}) g
     WHERE ledger_days.partner_id = @partnerId AND ledger_days.currency = @currency
       AND ledger_days.day = g.day AND ledger_days.due_day = g.due_day`,
    parameters,
  );
  await tx.run(`DELETE FROM open_entries AS o WHERE ${IN_RANGE}`, parameters);
}

/** Stores what was collected so far for the run of `collectingAt`. */
export function updateCollected(
  tx: Transaction,
  id: PayoutId,
  { collectingAt, amount, entryCount }: PayoutSum & { collectingAt: number },
) {
  return tx.run(
    `UPDATE payouts SET collecting_at = @collectingAt, collected_amount = @amount, collected_count = @entryCount
     WHERE id = @id`,
    { id, collectingAt, amount, entryCount },
  );
}

export interface StartedPayout extends PayoutSum {
  id: PayoutId;
  processingAt: number;
  processingBy: string;
}

/** Starts a queued payout and fixes its amount. */
export function startPayout(tx: Transaction, payout: StartedPayout) {
  return tx.run(
    `UPDATE payouts SET status = 'processing', amount = @amount, entry_count = @entryCount,
       processing_at = @processingAt, processing_by = @processingBy,
       collecting_at = NULL, collected_amount = 0, collected_count = 0
     WHERE id = @id`,
    { ...payout },
  );
}
