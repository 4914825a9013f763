import type { PartnerId, PayoutId } from '../../core/ids.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import { dayOf, dueDayOf } from '../../storage/conditions/ledger-days.ts';
import type { Transaction } from '../../storage/database.ts';

/** A payout as stored. */
export interface StoredPayout {
  id: PayoutId;
  currency: string;
  status: PayoutStatus;
  /** What its entries should add up to: for a queued payout what a run has collected so far; `entryCount` likewise. */
  amount: number;
  entryCount: number;
  /** The last entry that was marked as paid or given back; null unless the payout is settling. */
  settlingAfter: string | null;
  isCollecting: number;
}

/** The columns of the payout `p` for a `StoredPayout`. */
export const PAYOUT_COLUMNS = `p.id, p.currency, p.status, p.settling_after AS "settlingAfter",
       CASE WHEN p.status = 'queued' THEN p.collected_amount ELSE COALESCE(p.amount, 0) END AS amount,
       CASE WHEN p.status = 'queued' THEN p.collected_count ELSE COALESCE(p.entry_count, 0) END AS "entryCount",
       CASE WHEN p.collecting_at IS NULL THEN 0 ELSE 1 END AS "isCollecting"`;

/** A partner's payouts with ids above `afterId`, in the order of their ids. */
export function findPayouts(tx: Transaction, partnerId: PartnerId, afterId: string, limit: number) {
  return tx.all<StoredPayout>(
    `SELECT ${PAYOUT_COLUMNS}
     FROM payouts p WHERE p.partner_id = @partnerId AND p.id > @afterId ORDER BY p.id LIMIT @limit`,
    { partnerId, afterId, limit },
  );
}

/**
 * Entries of the payouts from `firstId` to `lastId`: of each payout those above `afterEntryId`, up to `lastEntryId`.
 */
export interface AssignedSlice {
  firstId: PayoutId;
  lastId: PayoutId;
  afterEntryId: string;
  lastEntryId: string;
}

/** An `AssignedSlice` of one partner's payouts. */
export interface AssignedRange extends AssignedSlice {
  partnerId: PartnerId;
}

/** The sum of a payout's entries that were created on one day and are due on one day. */
export interface AssignedEntries {
  id: PayoutId;
  day: number;
  dueDay: number;
  amount: number;
  count: number;
  /** Entries of another partner or currency, or without their sale. */
  strayCount: number;
  /** Entries that are not marked as the state of the payout demands. */
  wrongCount: number;
}

/**
 * The expected `live` of the entry `a` in the payout `p`; settling goes through the entries in the order of their ids.
 */
export const LIVE_OF_ASSIGNED = `CASE p.status WHEN 'processing' THEN 1 WHEN 'held' THEN 1 WHEN 'queued' THEN 1
    WHEN 'paid' THEN CASE WHEN a.entry_id > p.settling_after THEN 1 ELSE 2 END
    ELSE CASE WHEN a.entry_id > p.settling_after THEN 1 ELSE 0 END END`;
/** The entry `e` in the payout `p` is of another partner or currency, or `a` names another sale. */
export const IS_ASSIGNED_STRAY = `(e.partner_id <> p.partner_id OR e.currency <> p.currency
    OR COALESCE(a.sale_id, '') <> CASE WHEN e.kind = 'commission' THEN COALESCE(e.sale_id, '') ELSE '' END)`;

/**
 * Adds up the entries of payouts by payout and days. One statement sees a payout's state and its entries at the same
 * instant. Ranges with two ends make PostgreSQL look up each entry, even before it has statistics.
 */
export function sumAssigned(tx: Transaction, range: AssignedRange) {
  return tx.all<AssignedEntries>(
    `SELECT g.id, g.day, g."dueDay", CAST(SUM(g.amount) AS BIGINT) AS amount, COUNT(*) AS count,
       SUM(g.stray) AS "strayCount", SUM(g.wrong) AS "wrongCount"
     FROM (
       SELECT p.id, ${dayOf('e.created_at')} AS day, ${dueDayOf('e.created_at', 'e.available_at')} AS "dueDay", e.amount,
         CASE WHEN ${IS_ASSIGNED_STRAY} THEN 1 ELSE 0 END AS stray, CASE WHEN a.live = ${LIVE_OF_ASSIGNED} THEN 0 ELSE 1 END AS wrong
       FROM payouts p CROSS JOIN payout_entries a CROSS JOIN ledger_entries e
       WHERE p.partner_id = @partnerId AND p.id >= @firstId AND p.id <= @lastId
         AND a.payout_id = p.id AND a.payout_id >= @firstId AND a.payout_id <= @lastId
         AND a.entry_id > @afterEntryId AND a.entry_id <= @lastEntryId
         AND e.account_id = a.account_id AND e.id = a.entry_id) g
     GROUP BY g.id, g.day, g."dueDay"`,
    { ...range },
  );
}

/** The last of the next `limit` entries of a payout; null when there are none. */
export async function findEndOfSlice(tx: Transaction, id: PayoutId, afterEntryId: string, limit: number) {
  const found = await tx.get<{ lastId: string | null }>(
    `SELECT MAX(g.entry_id) AS "lastId" FROM (
       SELECT a.entry_id FROM payout_entries a WHERE a.payout_id = @id AND a.entry_id > @afterEntryId
       ORDER BY a.entry_id LIMIT @limit) g`,
    { id, afterEntryId, limit },
  );
  return found?.lastId ?? null;
}

/** A partner's sums per day of what payouts under way contain, and of what was paid, unless both are zero. */
export interface StoredDay {
  currency: string;
  day: number;
  dueDay: number;
  inPayouts: number;
  paid: number;
}

export function findDaysOfPayouts(tx: Transaction, partnerId: PartnerId) {
  return tx.all<StoredDay>(
    `SELECT d.currency, d.day, d.due_day AS "dueDay", d.in_payouts AS "inPayouts", d.paid FROM ledger_days d
     WHERE d.partner_id = @partnerId AND (d.in_payouts <> 0 OR d.paid <> 0)`,
    { partnerId },
  );
}

/** The stored sums per day of all payouts of a partner; only payouts under way should have any. */
export function findPayoutDays(tx: Transaction, partnerId: PartnerId) {
  return tx.all<{ id: PayoutId; day: number; dueDay: number; amount: number }>(
    `SELECT d.payout_id AS id, d.day, d.due_day AS "dueDay", d.amount FROM payouts p CROSS JOIN payout_days d
     WHERE p.partner_id = @partnerId AND d.payout_id = p.id`,
    { partnerId },
  );
}
