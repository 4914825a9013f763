import type { AccountId, EntryId, PartnerId, PayoutId } from '../../core/ids.ts';
import { dayOf, dueDayOf } from '../../storage/conditions/ledger-days.ts';
import type { Transaction } from '../../storage/database.ts';
import { ofPartners, type PartnerRange } from './partner-ranges.ts';
import {
  type AssignedSlice,
  IS_ASSIGNED_STRAY,
  LIVE_OF_ASSIGNED,
  PAYOUT_COLUMNS,
  type StoredPayout,
} from './payouts.ts';
import { IS_EARNED } from './running-sums.ts';

/**
 * Reads the ledger in the order of ids, which is the order of time and of the rows on disk. A partner's entries are
 * scattered among all others, so that reading them partner by partner costs ten times as much.
 */

/** How many sums per day each partner has, in the order of their ids. */
export function countLedgerDays(tx: Transaction, page: { accountId: AccountId; afterId: string; limit: number }) {
  return tx.all<{ id: PartnerId; sums: number }>(
    `SELECT p.id, (SELECT COUNT(*) FROM ledger_days d WHERE d.partner_id = p.id) AS sums
     FROM partners p WHERE p.account_id = @accountId AND p.id > @afterId ORDER BY p.id LIMIT @limit`,
    page,
  );
}

/** A sum per day of a partner. */
export interface LedgerDay {
  owner: PartnerId;
  currency: string;
  day: number;
  dueDay: number;
  earned: number;
  reversed: number;
  inPayouts: number;
  paid: number;
}

export function findLedgerDays(tx: Transaction, range: PartnerRange) {
  return tx.all<LedgerDay>(
    `SELECT d.partner_id AS owner, d.currency, d.day, d.due_day AS "dueDay", d.earned, d.reversed,
       d.in_payouts AS "inPayouts", d.paid
     FROM partners p CROSS JOIN ledger_days d
     WHERE p.account_id = @accountId AND p.id > @afterPartnerId AND p.id <= @lastPartnerId
       AND d.partner_id = p.id AND d.partner_id > @afterPartnerId AND d.partner_id <= @lastPartnerId`,
    { ...range },
  );
}

/** The parts of an entry that sums per day depend on. */
export interface WalkedEntry {
  id: EntryId;
  owner: PartnerId;
  currency: string;
  day: number;
  dueDay: number;
  amount: number;
  isEarned: number;
}

/** The entries with ids above `afterId` of the account and the partners, in the order of their ids. */
export function walkEntries(tx: Transaction, range: PartnerRange, afterId: string, limit: number) {
  return tx.all<WalkedEntry>(
    `SELECT e.id, e.partner_id AS owner, e.currency, ${dayOf('e.created_at')} AS day,
       ${dueDayOf('e.created_at', 'e.available_at')} AS "dueDay", e.amount,
       CASE WHEN ${IS_EARNED} THEN 1 ELSE 0 END AS "isEarned"
     FROM ledger_entries e
     WHERE e.account_id = @accountId AND e.id > @afterId AND ${ofPartners('e.partner_id')}
     ORDER BY e.id LIMIT @limit`,
    { ...range, afterId, limit },
  );
}

export type WalkedPayout = StoredPayout & { partnerId: PartnerId };

/** The payouts with ids above `afterId` of the account and the partners, in the order of their ids. */
export function walkPayouts(tx: Transaction, range: PartnerRange, afterId: string, limit: number) {
  return tx.all<WalkedPayout>(
    `SELECT p.partner_id AS "partnerId", ${PAYOUT_COLUMNS}
     FROM payouts p WHERE p.account_id = @accountId AND p.id > @afterId AND ${ofPartners('p.partner_id')}
     ORDER BY p.id LIMIT @limit`,
    { ...range, afterId, limit },
  );
}

/** An entry in a payout. */
export interface AssignedEntry {
  payoutId: PayoutId;
  day: number;
  dueDay: number;
  amount: number;
  /**
   * 1 if the entry has another partner, currency or sale than it should, or is not marked as the payout's state
   * demands.
   */
  isWrong: number;
}

/**
 * The entries of payouts, in no order. The payouts of a run follow each other, so that the pages with a month's entries
 * are still cached for the next payout.
 */
export function walkAssigned(tx: Transaction, range: PartnerRange, slice: AssignedSlice) {
  return tx.all<AssignedEntry>(
    `SELECT a.payout_id AS "payoutId", ${dayOf('e.created_at')} AS day,
       ${dueDayOf('e.created_at', 'e.available_at')} AS "dueDay", e.amount,
       CASE WHEN ${IS_ASSIGNED_STRAY} THEN 1 WHEN a.live = ${LIVE_OF_ASSIGNED} THEN 0 ELSE 1 END AS "isWrong"
     FROM payouts p CROSS JOIN payout_entries a CROSS JOIN ledger_entries e
     WHERE p.account_id = @accountId AND p.id >= @firstId AND p.id <= @lastId AND ${ofPartners('p.partner_id')}
       AND a.payout_id = p.id AND a.payout_id >= @firstId AND a.payout_id <= @lastId
       AND a.entry_id > @afterEntryId AND a.entry_id <= @lastEntryId
       AND e.account_id = a.account_id AND e.id = a.entry_id`,
    { ...range, ...slice },
  );
}

/** The sums per day of the payouts from `firstId` up to and including `lastId`. */
export function walkPayoutDays(tx: Transaction, range: PartnerRange, payouts: { firstId: string; lastId: string }) {
  return tx.all<{ owner: PayoutId; day: number; dueDay: number; amount: number }>(
    `SELECT d.payout_id AS owner, d.day, d.due_day AS "dueDay", d.amount FROM payouts p CROSS JOIN payout_days d
     WHERE p.account_id = @accountId AND p.id >= @firstId AND p.id <= @lastId AND ${ofPartners('p.partner_id')}
       AND d.payout_id = p.id AND d.payout_id >= @firstId AND d.payout_id <= @lastId`,
    { ...range, ...payouts },
  );
}
