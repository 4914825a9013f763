import { randomInt } from 'node:crypto';
import type { AccountId, EntryId, PaymentId, SaleId } from '../../core/ids.ts';
import { UNDECIDED_DUE_AT } from '../../core/ledger.ts';
import type { Transaction } from '../../storage/database.ts';
import { inAccount, manyIds } from '../../storage/many-ids.ts';
import { IS_EARNED } from './running-sums.ts';
import { hashOf, PRIME, remainder, seed, sumOf, times } from './weights.ts';

/** The rows of an account with ids after `afterId`, up to and including `lastId`. */
export interface IdRange {
  accountId: AccountId;
  afterId: string;
  lastId: string;
}

/** The last id of a page, and how many ids it has. */
export interface PageEnd {
  /** Null on an empty page. */
  lastId: string | null;
  count: number;
}

/** The end of the next page of sales in a range. */
export async function findEndOfSales(tx: Transaction, range: IdRange, limit: number) {
  // an aggregate always has a row
  return (await tx.get<PageEnd>(
    `SELECT MAX(id) AS "lastId", COUNT(*) AS count FROM (
       SELECT id FROM sales WHERE account_id = @accountId AND id > @afterId AND id <= @lastId ORDER BY id LIMIT @limit) AS page`,
    { ...range, limit },
  )) as PageEnd;
}

/** How many sales the account has. */
export async function countSales(tx: Transaction, accountId: AccountId): Promise<number> {
  const found = await tx.get<{ count: number }>(
    "SELECT COUNT(*) AS count FROM sales s WHERE s.account_id = @accountId AND s.id > ''",
    { accountId },
  );
  return found?.count ?? 0;
}

/** How many partners the account has. */
export async function countPartners(tx: Transaction, accountId: AccountId): Promise<number> {
  const found = await tx.get<{ count: number }>(
    "SELECT COUNT(*) AS count FROM partners p WHERE p.account_id = @accountId AND p.id > ''",
    { accountId },
  );
  return found?.count ?? 0;
}

/** The stored amounts of one sale, and the sums of its ledger entries (signed minor units). */
export interface SaleBalance {
  id: SaleId;
  paymentId: PaymentId;
  commissionAmount: number;
  refundedAmount: number;
  disputedOpen: boolean;
  commissionSum: number;
  reversalSum: number;
  holdSum: number;
  /** An entry whose partner, currency or time differs from the sale's; null without one. */
  strayEntryId: EntryId | null;
  /** While the sale waits for a review: its entries that a payout could contain. */
  dueCount: number;
}

type SaleBalanceRow = Omit<SaleBalance, 'disputedOpen'> & { disputedOpen: number };

const sumOfKinds = (kinds: string) =>
  `CAST(COALESCE(SUM(CASE WHEN e.kind IN (${kinds}) THEN e.amount ELSE 0 END), 0) AS BIGINT)`;

const IS_STRAY = `(e.account_id <> s.account_id OR e.partner_id <> s.partner_id OR e.currency <> s.currency
      OR e.available_at <> s.available_at)`;
const IS_UNDECIDED = `(SELECT o.entry_id FROM open_entries o WHERE o.partner_id = e.partner_id AND o.currency = e.currency
      AND o.due_at = ${UNDECIDED_DUE_AT} AND o.entry_id = e.id) IS NOT NULL`;

// Joins by the sale's id alone: given the account's too, PostgreSQL walks all entries of the account.
const readBalances = manyIds<SaleBalanceRow>(
  (list) => `
  SELECT s.id, s.payment_id AS "paymentId", s.commission_amount AS "commissionAmount",
    s.refunded_amount AS "refundedAmount", s.disputed_open AS "disputedOpen",
    ${sumOfKinds("'commission', 'adjustment'")} AS "commissionSum", ${sumOfKinds("'reversal'")} AS "reversalSum",
    ${sumOfKinds("'dispute_hold', 'dispute_release'")} AS "holdSum",
    MIN(CASE WHEN ${IS_STRAY} THEN e.id END) AS "strayEntryId",
    SUM(CASE WHEN s.review = 'flagged' THEN CASE WHEN e.id IS NULL OR ${IS_UNDECIDED} THEN 0 ELSE 1 END ELSE 0 END) AS "dueCount"
  FROM sales s LEFT JOIN ledger_entries e ON e.sale_id = s.id
  WHERE ${inAccount('s', list)}
  GROUP BY s.account_id, s.id
  ORDER BY s.id`,
);

/**
 * Of all entries of a sale: true if its only one is its commission, as of most sales, or if it has neither, as after the
 * program's months of commission; cheaper to check than sums.
 */
const IS_PLAIN = `CASE COUNT(e.id) WHEN 0 THEN s.commission_amount = 0 WHEN 1 THEN MIN(CASE WHEN e.kind = 'commission'
      AND e.amount = s.commission_amount AND NOT ${IS_STRAY} THEN 1 ELSE 0 END) = 1 ELSE FALSE END`;
const HAS_STATE =
  's.refunded_amount <> 0 OR s.disputed_open <> 0 OR s.voided_reason IS NOT NULL OR s.review IS NOT NULL';
const PAGE = 's.account_id = @accountId AND s.id > @afterId AND s.id <= @lastId';

/** Most sales are plain, and nothing was reported that could reduce them, so the database filters them out. */
const NOTABLE_SALES = `SELECT s.id FROM sales s WHERE ${PAGE} AND (${HAS_STATE}
    OR (SELECT r.payment_id FROM refunds r WHERE r.payment_id = s.payment_id LIMIT 1) IS NOT NULL
    OR (SELECT d.payment_id FROM disputes d WHERE d.payment_id = s.payment_id LIMIT 1) IS NOT NULL
    OR (SELECT CASE WHEN ${IS_PLAIN} THEN 1 ELSE 0 END FROM ledger_entries e WHERE e.sale_id = s.id) = 0)
  ORDER BY s.id`;

/** The weight of a commission of the sale `id`: that of another partner, currency or time has another one. */
const weightOf = (row: 's' | 'e', id: string) =>
  hashOf(`${row}.available_at + ${seed('shift')}`, id, `${row}.partner_id`, `${row}.currency`);
const SALES_AMONG_ALL = `SELECT COUNT(*) AS count, ${sumOf(times(remainder('s.commission_amount'), weightOf('s', 's.id')))} AS fingerprint,
    string_agg(s.id, ' ') FILTER (WHERE ${HAS_STATE} OR n.payment_id IS NOT NULL) AS ids
  FROM sales s
  LEFT JOIN (SELECT r.payment_id FROM refunds r UNION SELECT d.payment_id FROM disputes d) n ON n.payment_id = s.payment_id
  WHERE ${PAGE}`;
const COMMISSION = times(remainder('e.amount'), weightOf('e', 'e.sale_id'));
const ENTRIES_AMONG_ALL = `SELECT ${sumOf(`CASE WHEN ${IS_EARNED} THEN ${COMMISSION} ELSE 0 END`)} AS fingerprint,
    string_agg(e.sale_id, ' ') FILTER (WHERE e.kind <> 'commission') AS ids
  FROM ledger_entries e WHERE e.account_id = @accountId AND e.sale_id > @afterId AND e.sale_id <= @lastId`;

interface Fingerprinted {
  fingerprint: number;
  /** With spaces between them; null without any. */
  ids: string | null;
}
interface SalesAmongAll extends Fingerprinted {
  count: number;
}

/**
 * The sales in a range that a refund, a dispute or a review may have reduced, and those whose entries are not just
 * their commission, in the order of their ids.
 */
export async function findNotableSales(tx: Transaction, range: IdRange): Promise<SaleId[]> {
  return (await tx.all<{ id: SaleId }>(NOTABLE_SALES, { ...range })).map(({ id }) => id);
}

/**
 * How many sales are in a range, and those that `findNotableSales` finds, for a snapshot of PostgreSQL that joins as a
 * whole: reads sales and entries once, and compares the fingerprints of all commissions. Leaves out a sale whose several
 * commissions add up to what it states.
 */
export async function findNotableAmongAll(
  tx: Transaction,
  range: IdRange,
): Promise<{ count: number; notable: SaleId[] }> {
  const parameters = { ...range, shift: randomInt(PRIME) };
  // an aggregate always has a row
  const sales = (await tx.get<SalesAmongAll>(SALES_AMONG_ALL, parameters)) as SalesAmongAll;
  const entries = (await tx.get<Fingerprinted>(ENTRIES_AMONG_ALL, parameters)) as Fingerprinted;
  const agree = (sales.fingerprint - entries.fingerprint) % PRIME === 0;
  const ids = [sales, entries].flatMap((found) => found.ids?.split(' ') ?? []) as SaleId[];
  const notable = agree ? [...new Set(ids)].sort() : await findNotableSales(tx, range);
  return { count: sales.count, notable };
}

/** @param ids in their order, in which the balances of those that exist are returned */
export async function findSaleBalances(
  tx: Transaction,
  accountId: AccountId,
  ids: readonly SaleId[],
): Promise<SaleBalance[]> {
  return (await readBalances(tx, ids, { accountId })).map(asSaleBalance);
}

function asSaleBalance(row: SaleBalanceRow): SaleBalance {
  return { ...row, disputedOpen: row.disputedOpen === 1 };
}
