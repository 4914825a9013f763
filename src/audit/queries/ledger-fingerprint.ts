import type { AccountId } from '../../core/ids.ts';
import { UNDECIDED_DUE_AT } from '../../core/ledger.ts';
import { dayOf, dueDayOf } from '../../storage/conditions/ledger-days.ts';
import type { Transaction } from '../../storage/database.ts';
import { IS_ASSIGNED_STRAY, LIVE_OF_ASSIGNED } from './payouts.ts';
import { IS_EARNED, isSameEntry } from './running-sums.ts';
import {
  countOf,
  currencyOf,
  OWNERS,
  ownerOf,
  parametersOf,
  remainder,
  type Side,
  scattered,
  seed,
  sumOf,
  times,
  type Weighted,
} from './weights.ts';

/** The number of a currency, a day and a due day; `ofDays` is its weight. */
const daysNumber = (days: { currency: string; day: string; dueDay: string }, side: Side) =>
  `(${days.day} * ${seed('day')} + ${days.dueDay} * ${seed('dueDay')} + ${currencyOf(days.currency, side)})`;
const ofDays = (days: Parameters<typeof daysNumber>[0], side: Side) => scattered(daysNumber(days, side));

const STORED_DAY = { currency: 'd.currency', day: 'd.day', dueDay: 'd.due_day' };
const entryDay = (dueAt: string) => ({
  currency: 'e.currency',
  day: dayOf('e.created_at'),
  dueDay: dueDayOf('e.created_at', dueAt),
});
const ENTRY = remainder(`CASE WHEN ${IS_EARNED} THEN e.amount ELSE -${remainder('e.amount')} * ${seed('second')} END`);

const IS_GIVING_BACK_QUEUED = "(g.status = 'queued' AND g.settling_after IS NOT NULL)";

/**
 * The account's payouts with their weights: `counted` is for the amount and number of entries, `daily` for the sums per
 * day of the payout together with those of its partner.
 */
const HELD = `held AS MATERIALIZED (
    SELECT w.id, w.partner_id, w.currency, w.status, w.settling_after, w.amount, w.entry_count, w.weight,
      ${ownerOf('strayRow')} AS of_owner,
      CASE w.status WHEN 'processing' THEN 1 WHEN 'held' THEN 1 WHEN 'queued' THEN 1 WHEN 'paid' THEN 2 ELSE 0 END AS live,
      CASE WHEN w.is_judged = 1 THEN w.weight ELSE 0 END AS counted,
      CASE w.place WHEN 1 THEN ${remainder(`${ownerOf('strayRow')} + w.weight`)}
        WHEN 2 THEN ${times(ownerOf('strayRow'), seed('second'))}
        ELSE 0 END AS daily
    FROM (SELECT g.id, g.partner_id, g.currency, g.status, g.settling_after,
        ${scattered(`g.n * ${seed('payout')} + ${seed('shift')}`)} AS weight,
        CASE WHEN g.status = 'queued' THEN g.collected_amount ELSE COALESCE(g.amount, 0) END AS amount,
        CASE WHEN g.status = 'queued' THEN g.collected_count ELSE COALESCE(g.entry_count, 0) END AS entry_count,
        CASE WHEN ${IS_GIVING_BACK_QUEUED} THEN 0 ELSE 1 END AS is_judged,
        CASE WHEN g.status IN ('processing', 'held') OR g.collecting_at IS NOT NULL THEN 1 WHEN g.status = 'paid' THEN 2 ELSE 0 END AS place
      FROM (SELECT q.*, CAST(ROW_NUMBER() OVER (ORDER BY q.id) AS BIGINT) AS n
        FROM payouts q WHERE q.account_id = @accountId AND q.id > '') g) w
    LEFT JOIN owners o ON o.id = w.partner_id)`;

const contentTerm = (amount: string, count: string) =>
  times(remainder(`${remainder(amount)} * ${seed('third')} + ${count} * ${seed('fourth')}`), 'p.counted');
/**
 * 1 if the entry `e` is open and due at `dueAt` with the values of the ledger, 0 with other values, null if it is not
 * open then.
 */
const openAt = (dueAt: string) => `(SELECT ${isSameEntry('o')} FROM open_entries o WHERE o.partner_id = e.partner_id
        AND o.currency = e.currency AND o.due_at = ${dueAt} AND o.entry_id = e.id AND o.account_id = e.account_id)`;

const STORED = `WITH ${OWNERS}
  SELECT
    ${sumOf(
      times(
        remainder(`${remainder('d.earned')} + ${remainder('d.reversed')} * ${seed('second')}`),
        ofDays(STORED_DAY, 'strayStored'),
        'o.weight',
      ),
    )} AS "entries",
    ${sumOf(
      times(
        remainder(`${remainder('d.in_payouts')} + ${remainder('d.paid')} * ${seed('second')}`),
        ofDays(STORED_DAY, 'strayStored'),
        'o.weight',
      ),
    )} AS payouts
  FROM owners o CROSS JOIN ledger_days d WHERE d.partner_id = o.id`;

/** Fingerprints of what the partners' sums per day state about entries, and about the contents of payouts. */
export function walkStoredDays(tx: Transaction, weighted: Weighted) {
  return tx.get<{ entries: number; payouts: number }>(STORED, parametersOf(weighted));
}

/** The weight of the currency and days of the entry `e`. */
const OF_DAYS = scattered('e.days');
// Computes the number of the days of each entry once: SQLite does not merge a query with a limit into the outer one.
const PAGE = `(SELECT e.id, e.account_id, e.partner_id, e.sale_id, e.kind, e.amount, e.currency, e.available_at, e.created_at,
      ${daysNumber(entryDay('e.available_at'), 'strayRow')} AS days
    FROM ledger_entries e WHERE e.account_id = @accountId AND e.id > @afterId ORDER BY e.id LIMIT @limit)`;

/** The expected `live` of an assigned entry: the same for all entries of the payout `p`, unless it is settling. */
const liveOf = (entryId: string) =>
  `CASE WHEN p.settling_after IS NULL THEN p.live ELSE ${LIVE_OF_ASSIGNED.replaceAll('a.entry_id', entryId)} END`;
const IS_IN_OTHER_PAYOUT = '(p.id IS NULL OR e.partner_id <> p.partner_id OR e.currency <> p.currency)';

/** How the entry `e` is found among the open ones, or among the assigned ones with the payout that has it. */
interface Placing {
  joins: string;
  entryId: string;
  payoutId: string;
  /** True if an entry that was found does not belong there, or is not marked as the state of the payout demands. */
  isWrong: string;
  /** 1 if an entry that was not found there is open with the values of the ledger. */
  isOpen: string;
}

const IS_WRONG_BY_ID = `(${IS_IN_OTHER_PAYOUT} OR ${IS_ASSIGNED_STRAY}
        OR a.account_id <> e.account_id OR a.live <> ${liveOf('a.entry_id')})`;

/** An entry that is open twice is counted twice, which no number of entries agrees with. */
const BY_ID: Placing = {
  joins: `LEFT JOIN payout_entries a ON a.entry_id = e.id AND a.live <> 0
  LEFT JOIN open_entries u ON u.entry_id = CASE WHEN a.entry_id IS NULL THEN e.id END`,
  entryId: 'a.entry_id',
  payoutId: 'a.payout_id',
  isWrong: IS_WRONG_BY_ID,
  isOpen: `CASE WHEN u.entry_id IS NULL OR u.account_id <> e.account_id THEN 0 ELSE ${isSameEntry('u')} END`,
};

/** Most entries are paid commissions: an index finds them by their sale (b), without their rows; the others by id (a). */
const BY_SALE_OR_ID: Placing = {
  joins: `LEFT JOIN payout_entries b ON b.account_id = e.account_id AND b.live = 2 AND b.sale_id = e.sale_id AND b.entry_id = e.id
  LEFT JOIN payout_entries a ON a.entry_id = CASE WHEN b.entry_id IS NULL THEN e.id END AND a.live <> 0`,
  entryId: 'COALESCE(b.entry_id, a.entry_id)',
  payoutId: 'COALESCE(b.payout_id, a.payout_id)',
  isWrong: `CASE WHEN b.entry_id IS NULL THEN ${IS_WRONG_BY_ID}
        ELSE ${IS_IN_OTHER_PAYOUT} OR e.kind <> 'commission' OR ${liveOf('b.entry_id')} <> 2 END`,
  // an open entry is due at the end of its hold, or undecided
  isOpen: `COALESCE(${openAt('e.available_at')}, ${openAt(String(UNDECIDED_DUE_AT))}, 0)`,
};

const placedEntries = ({ joins, entryId, payoutId, isWrong, isOpen }: Placing) => `WITH ${OWNERS}, ${HELD}
  SELECT MAX(e.id) AS "lastId", COUNT(*) AS count,
    ${sumOf(times(ENTRY, OF_DAYS, `COALESCE(p.of_owner, o.weight, ${seed('strayRow')})`))} AS "entries",
    ${sumOf(`CASE WHEN p.id IS NULL THEN 0
      ELSE ${contentTerm('e.amount', '1')} + ${times(remainder('e.amount'), OF_DAYS, 'p.daily')} END`)} AS payouts,
    COUNT(${entryId}) AS assigned,
    CAST(COALESCE(SUM(CASE WHEN ${entryId} IS NULL THEN ${isOpen} ELSE 0 END), 0) AS BIGINT) AS open,
    ${countOf(`CASE WHEN ${entryId} IS NULL THEN FALSE ELSE ${isWrong} END`)} AS wrong
  FROM ${PAGE} e
  ${joins}
  LEFT JOIN held p ON p.id = ${payoutId}
  LEFT JOIN owners o ON o.id = CASE WHEN p.id IS NULL THEN e.partner_id END`;

const ENTRIES = placedEntries(BY_SALE_OR_ID);
// When tables are read whole, payouts joined twice would cost twice as much, and open entries are cheaper to join.
const ENTRIES_AMONG_ALL = placedEntries(BY_ID);

/** The fingerprints of a page of entries, and how many of them are in which place. */
export interface PlacedEntries {
  /** Null on an empty page. */
  lastId: string | null;
  count: number;
  entries: number;
  payouts: number;
  /** How many are in a payout that has not given them back. */
  assigned: number;
  /** How many of the others are open with the values of the ledger. */
  open: number;
  /** How many of those in payouts do not belong there, or are not marked as the state of the payout demands. */
  wrong: number;
}

/** The next entries in the order of ids. Each is looked up in payouts and, if it is in none, among the open entries. */
export function walkPlacedEntries(tx: Transaction, weighted: Weighted, page: { afterId: string; limit: number }) {
  return walkPlaced(tx, ENTRIES, weighted, page);
}

/** Like `walkPlacedEntries`, for a snapshot that joins as a whole. */
export function walkPlacedAmongAll(tx: Transaction, weighted: Weighted, page: { afterId: string; limit: number }) {
  return walkPlaced(tx, ENTRIES_AMONG_ALL, weighted, page);
}

async function walkPlaced(
  tx: Transaction,
  sql: string,
  weighted: Weighted,
  page: { afterId: string; limit: number },
): Promise<PlacedEntries> {
  // an aggregate always has a row
  return (await tx.get<PlacedEntries>(sql, { ...parametersOf(weighted), ...page })) as PlacedEntries;
}

/** The entry `e` of a sale that waits for a review, as if it were due at `dueAt`. */
const undecidedTerm = (dueAt: string) => times(ENTRY, ofDays(entryDay(dueAt), 'strayRow'), ownerOf('strayRow'));
const UNDECIDED = `WITH ${OWNERS}
  SELECT ${sumOf(`${undecidedTerm(String(UNDECIDED_DUE_AT))} - ${undecidedTerm('e.available_at')}`)} AS "entries"
  FROM sales s JOIN ledger_entries e ON e.sale_id = s.id LEFT JOIN owners o ON o.id = e.partner_id
  WHERE s.account_id = @accountId AND s.review = 'flagged'`;

/**
 * Moves the entries of sales that wait for a review, in the fingerprint of entries, from their own due day to the
 * undecided one.
 */
export async function walkUndecided(tx: Transaction, weighted: Weighted): Promise<number> {
  return (await tx.get<{ entries: number }>(UNDECIDED, parametersOf(weighted)))?.entries ?? 0;
}

/** Of an entry that its payout has given back; null if there is no such entry, or if it should not be given back. */
const GIVEN_BACK = `(SELECT CASE WHEN ${IS_ASSIGNED_STRAY} OR a.live <> ${LIVE_OF_ASSIGNED} THEN NULL
      ELSE ${contentTerm('e.amount', '1')} END
    FROM ledger_entries e WHERE e.account_id = a.account_id AND e.id = a.entry_id)`;
// Few entries are given back: each is looked up, where a join would read the whole ledger on PostgreSQL.
const CONTENTS = `WITH ${OWNERS}, ${HELD}
  SELECT ${countOf('a.live <> 0')} AS assigned,
    ${sumOf(`CASE WHEN a.live = 0 THEN COALESCE(${GIVEN_BACK}, 0) ELSE 0 END`)} AS payouts,
    ${countOf(`CASE WHEN a.live = 0 THEN ${GIVEN_BACK} IS NULL ELSE FALSE END`)} AS wrong
  FROM held p CROSS JOIN payout_entries a WHERE a.payout_id = p.id`;

/** Counts the entries that payouts contain and have not given back, and checks and adds up those that they have. */
export async function walkContents(tx: Transaction, weighted: Weighted) {
  const found = await tx.get<Pick<PlacedEntries, 'assigned' | 'payouts' | 'wrong'>>(CONTENTS, parametersOf(weighted));
  return found ?? { assigned: 0, payouts: 0, wrong: 0 };
}

const EXPECTED = `WITH ${OWNERS}, ${HELD}
  SELECT
    (SELECT ${sumOf(contentTerm('p.amount', 'p.entry_count'))} FROM held p) AS contents,
    (SELECT ${sumOf(times(remainder('d.amount'), ofDays({ ...STORED_DAY, currency: 'p.currency' }, 'strayRow'), 'p.weight'))}
      FROM held p CROSS JOIN payout_days d WHERE d.payout_id = p.id) AS days`;

/** The fingerprint of what payouts and their sums per day state about their contents. */
export async function walkHeldPayouts(tx: Transaction, weighted: Weighted): Promise<number> {
  const found = await tx.get<{ contents: number; days: number }>(EXPECTED, parametersOf(weighted));
  return (found?.contents ?? 0) + (found?.days ?? 0);
}

/** How many entries the partners of an account have, and how many are open. */
export async function countOfPartners(tx: Transaction, accountId: AccountId) {
  const found = await tx.get<{ entries: number; open: number }>(
    `SELECT
       (SELECT COUNT(*) FROM partners p CROSS JOIN ledger_entries e WHERE p.account_id = @accountId AND e.partner_id = p.id)
         AS "entries",
       (SELECT COUNT(*) FROM partners p CROSS JOIN open_entries o WHERE p.account_id = @accountId AND o.partner_id = p.id)
         AS open`,
    { accountId },
  );
  return found ?? { entries: 0, open: 0 };
}
