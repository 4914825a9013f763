import type { AccountId, EntryId, PartnerId, PayoutId } from '../../core/ids.ts';
import { UNDECIDED_DUE_AT } from '../../core/ledger.ts';
import { DAY_MS } from '../../core/time.ts';
import { dayOf, dueDayOf } from '../../storage/conditions/ledger-days.ts';
import type { Transaction } from '../../storage/database.ts';

/**
 * Ranges have two ends wherever there may be many rows. Without statistics, PostgreSQL assumes that such a range is
 * small and uses the index; with a single end, it sorts or hashes the whole rest of the table.
 */

/** Partners with ids above `afterId`, in the order of their ids; an empty one has no entries, sums or payouts. */
export function findPartners(tx: Transaction, accountId: AccountId, afterId: string, limit: number) {
  return tx.all<{ id: PartnerId; isEmpty: number }>(
    `SELECT p.id, CASE WHEN COALESCE(
         (SELECT e.id FROM ledger_entries e WHERE e.partner_id = p.id LIMIT 1),
         (SELECT d.currency FROM ledger_days d WHERE d.partner_id = p.id LIMIT 1),
         (SELECT o.entry_id FROM open_entries o WHERE o.partner_id = p.id LIMIT 1),
         (SELECT q.id FROM payouts q WHERE q.partner_id = p.id LIMIT 1)) IS NULL THEN 1 ELSE 0 END AS "isEmpty"
     FROM partners p WHERE p.account_id = @accountId AND p.id > @afterId ORDER BY p.id LIMIT @limit`,
    { accountId, afterId, limit },
  );
}

/** Days since 1970: `from` included, `to` excluded. */
export interface Days {
  from: number;
  to: number;
}

const CREATED_IN = 'e.created_at >= @createdFrom AND e.created_at < @createdTo';
const createdIn = ({ from, to }: Days) => ({ createdFrom: from * DAY_MS, createdTo: to * DAY_MS });

/** True if the entry `e` counts as earned rather than as reversed. */
export const IS_EARNED = "e.kind IN ('commission', 'adjustment')";

/** @param dueAt SQL over the entry `e` */
const wrongDays = (dueAt: string) => `
  SELECT DISTINCT w.day, w.currency FROM (
    SELECT g.currency, g.day
    FROM (
      SELECT d.currency, d.day, d.due_day, d.earned, d.reversed
      FROM ledger_days d WHERE d.partner_id = @partnerId AND d.day >= @from AND d.day < @to
      UNION ALL
      SELECT e.currency, ${dayOf('e.created_at')}, ${dueDayOf('e.created_at', dueAt)},
        CASE WHEN ${IS_EARNED} THEN -e.amount ELSE 0 END, CASE WHEN ${IS_EARNED} THEN 0 ELSE e.amount END
      FROM ledger_entries e WHERE e.partner_id = @partnerId AND ${CREATED_IN}) g
    GROUP BY g.currency, g.day, g.due_day
    HAVING SUM(g.earned) <> 0 OR SUM(g.reversed) <> 0) w
  ORDER BY w.day, w.currency`;

const WITHOUT_REVIEWS = wrongDays('e.available_at');
const WITH_REVIEWS = wrongDays(`(CASE WHEN (SELECT s.review FROM sales s
  WHERE s.account_id = e.account_id AND s.id = e.sale_id) = 'flagged' THEN ${UNDECIDED_DUE_AT} ELSE e.available_at END)`);

/**
 * The days whose sums differ from the partner's entries. One statement sees both at the same instant. The sales are
 * looked up only if there is a difference without them: few wait for a review.
 */
export async function findWrongDays(tx: Transaction, partnerId: PartnerId, days: Days) {
  const parameters = { partnerId, ...days, ...createdIn(days) };
  const suspects = await tx.all(WITHOUT_REVIEWS, parameters);
  return suspects.length === 0 ? [] : tx.all<{ day: number; currency: string }>(WITH_REVIEWS, parameters);
}

/** A partner's open entries in one currency. */
export interface OpenEntries {
  partnerId: PartnerId;
  currency: string;
}

/** The next currency, in order, in which the partner has open entries; null after the last one. */
export async function findOpenCurrency(tx: Transaction, partnerId: PartnerId, after: string): Promise<string | null> {
  const found = await tx.get<{ currency: string | null }>(
    'SELECT MIN(o.currency) AS currency FROM open_entries o WHERE o.partner_id = @partnerId AND o.currency > @after',
    { partnerId, after },
  );
  return found?.currency ?? null;
}

const OPEN = 'o.partner_id = @partnerId AND o.currency = @currency';
/** Times from `from` to before `to`. */
const DUE_IN = 'o.due_at >= @from AND o.due_at < @to';

/** When the first open entry is due, and the last one that does not wait for a review. */
export function findDueTimes(tx: Transaction, open: OpenEntries) {
  return tx.get<{ first: number | null; last: number | null }>(
    `SELECT (SELECT MIN(o.due_at) FROM open_entries o WHERE ${OPEN}) AS first,
       (SELECT MAX(o.due_at) FROM open_entries o WHERE ${OPEN} AND o.due_at < ${UNDECIDED_DUE_AT}) AS last`,
    { ...open },
  );
}

export async function countOpen(tx: Transaction, open: OpenEntries, due: Days, limit: number) {
  const found = await tx.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM (SELECT o.entry_id FROM open_entries o WHERE ${OPEN} AND ${DUE_IN} LIMIT @limit) g`,
    { ...open, ...due, limit },
  );
  return found?.count ?? 0;
}

/** 1 if the ledger's entry `e` has the values of an open entry; only an undecided one needs its review. */
export const isSameEntry = (open: string) => `CASE WHEN e.partner_id = ${open}.partner_id
      AND e.currency = ${open}.currency AND e.kind = ${open}.kind AND e.amount = ${open}.amount
      AND e.created_at = ${open}.created_at AND COALESCE(e.sale_id, '') = COALESCE(${open}.sale_id, '')
      AND CASE WHEN ${open}.due_at = ${UNDECIDED_DUE_AT}
        THEN (SELECT s.review FROM sales s WHERE s.account_id = e.account_id AND s.id = e.sale_id) = 'flagged'
        ELSE ${open}.due_at = e.available_at END
    THEN 1 ELSE 0 END`;
const IS_AS_IN_LEDGER = `(SELECT ${isSameEntry('o')}
  FROM ledger_entries e WHERE e.account_id = o.account_id AND e.id = o.entry_id)`;

/** Open entries that differ from the ledger's, or that a payout contains. */
export function findWrongOpen(tx: Transaction, open: OpenEntries, due: Days) {
  return tx.all<{ id: EntryId }>(
    `SELECT o.entry_id AS id FROM open_entries o
     WHERE ${OPEN} AND ${DUE_IN} AND (COALESCE(${IS_AS_IN_LEDGER}, 0) = 0
       OR (SELECT a.payout_id FROM payout_entries a WHERE a.entry_id = o.entry_id AND a.live <> 0) IS NOT NULL)
     ORDER BY o.entry_id`,
    { ...open, ...due },
  );
}

/**
 * Counts the entries of the payout `k` that are not open but still in a queued one: collected, or yet to be given back.
 */
const CONTAINED_WHILE_OPEN = `CASE
    WHEN k.settling_after IS NOT NULL AND k.status <> 'paid' THEN (SELECT COUNT(*) FROM payout_entries a
      WHERE a.payout_id = k.id AND a.entry_id > k.settling_after)
    WHEN k.status = 'queued' THEN k.collected_count ELSE 0 END`;

/** How many entries a partner has, and how many are open or in payouts, at the same instant. */
export async function countPlaces(tx: Transaction, partnerId: PartnerId) {
  const found = await tx.get<{ entries: number; places: number }>(
    `SELECT (SELECT COUNT(*) FROM ledger_entries e WHERE e.partner_id = @partnerId) AS entries,
       (SELECT COUNT(*) FROM open_entries o WHERE o.partner_id = @partnerId)
         + (SELECT CAST(COALESCE(SUM(CASE WHEN k.status IN ('processing', 'held', 'paid') THEN k.entry_count
             ELSE ${CONTAINED_WHILE_OPEN} END), 0) AS BIGINT)
           FROM payouts k WHERE k.partner_id = @partnerId) AS places`,
    { partnerId },
  );
  return found ?? { entries: 0, places: 0 };
}

/** A queued payout, and what its amount and count should be. */
export interface QueuedBalance {
  id: PayoutId;
  partnerId: PartnerId;
  amount: number;
  entryCount: number;
  openSum: number;
  openCount: number;
}

/** The partners of an account with ids from `firstId` to `lastId`. */
export interface PartnersPage {
  accountId: AccountId;
  firstId: string;
  lastId: string;
}

const ON_PAGE = 'r.account_id = @accountId AND r.id >= @firstId AND r.id <= @lastId';

/** Queued payouts of partners that differ from the open entries plus those collected or yet to be given back. */
export function findWrongQueued(tx: Transaction, page: PartnersPage) {
  return tx.all<QueuedBalance>(
    `SELECT g.id, g.partner_id AS "partnerId", g.amount, g.entry_count AS "entryCount", g."openSum", g."openCount"
     FROM (
       SELECT p.id, p.partner_id, p.amount, p.entry_count,
         p.collected_amount + (SELECT CAST(COALESCE(SUM(d.earned - d.reversed - d.in_payouts - d.paid), 0) AS BIGINT)
           FROM ledger_days d WHERE d.partner_id = p.partner_id AND d.currency = p.currency) AS "openSum",
         (SELECT COUNT(*) FROM open_entries o WHERE o.partner_id = p.partner_id AND o.currency = p.currency)
           + (SELECT CAST(COALESCE(SUM(${CONTAINED_WHILE_OPEN}), 0) AS BIGINT) FROM payouts k
             WHERE k.partner_id = p.partner_id AND k.currency = p.currency) AS "openCount"
       FROM partners r CROSS JOIN payouts p WHERE ${ON_PAGE} AND p.partner_id = r.id AND p.status = 'queued') g
     WHERE g.amount <> g."openSum" OR g.entry_count <> g."openCount"
     ORDER BY g.id`,
    { ...page },
  );
}

/** The currencies in which partners have earned but have no queued payout. */
export function findUnqueued(tx: Transaction, page: PartnersPage) {
  return tx.all<{ partnerId: PartnerId; currency: string }>(
    `SELECT g.partner_id AS "partnerId", g.currency
     FROM (SELECT DISTINCT d.partner_id, d.currency FROM partners r CROSS JOIN ledger_days d
       WHERE ${ON_PAGE} AND d.partner_id = r.id) g
     WHERE (SELECT p.id FROM payouts p WHERE p.partner_id = g.partner_id AND p.currency = g.currency
       AND p.status = 'queued') IS NULL
     ORDER BY g.partner_id, g.currency`,
    { ...page },
  );
}
