import type { AccountId, ProgramId } from '../../core/ids.ts';
import { PARTS_OF_PROGRAM } from '../../storage/conditions/result-days.ts';
import { IS_DISPUTED } from '../../storage/conditions/sale-states.ts';
import type { Transaction } from '../../storage/database.ts';

/** Counting stops above this number. */
export const COUNT_MAX = 1_000;

/** SQL after FROM, for rows found by a partial index or an equality. */
const ATTENTION = {
  failedDeliveries: "deliveries d WHERE d.account_id = @accountId AND d.status = 'failed' AND d.status <> 'processed'",
  deadDeliveries: "deliveries d WHERE d.account_id = @accountId AND d.status = 'dead' AND d.status <> 'processed'",
  parkedPayments: "payments k WHERE k.account_id = @accountId AND k.state = 'parked'",
  flaggedSales: "sales s WHERE s.account_id = @accountId AND s.review = 'flagged'",
  processingPayouts: "payouts p WHERE p.account_id = @accountId AND p.status = 'processing'",
  heldPayouts: "payouts p WHERE p.account_id = @accountId AND p.status = 'held'",
  openDisputes: `sales s WHERE s.account_id = @accountId AND ${IS_DISPUTED}`,
} as const;

/** The rows that need attention, each kind counted up to one more than `COUNT_MAX`. */
export async function countAttention(tx: Transaction, accountId: AccountId) {
  const counts: Record<string, number> = {};
  for (const [name, rows] of Object.entries(ATTENTION)) {
    const sql = `SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM ${rows} LIMIT ${COUNT_MAX + 1}) counted`;
    counts[name] = (await tx.get<{ count: number }>(sql, { accountId }))?.count ?? 0;
  }
  return counts as Record<keyof typeof ATTENTION, number>;
}

/**
 * Sorted where the table grows; otherwise PostgreSQL would read other accounts' rows until it finds one of this
 * account.
 */
const SETUP = {
  endpoint: 'webhook_endpoints w WHERE w.account_id = @accountId AND w.deleted_at IS NULL',
  delivery: 'deliveries d WHERE d.account_id = @accountId ORDER BY d.id',
  partner: 'partners p WHERE p.account_id = @accountId AND p.deleted_at IS NULL ORDER BY p.id',
  link: 'links l WHERE l.account_id = @accountId AND l.deleted_at IS NULL ORDER BY l.id',
  click: `programs g JOIN result_days r ON r.owner_id = g.id AND r.part IN (${PARTS_OF_PROGRAM})
    WHERE g.account_id = @accountId AND r.span = 1 AND r.clicks > 0`,
  lead: 'leads e WHERE e.account_id = @accountId ORDER BY e.id',
  sale: 'sales s WHERE s.account_id = @accountId ORDER BY s.id',
  allowedOrigin: 'programs g JOIN program_origins o ON o.program_id = g.id WHERE g.account_id = @accountId',
} as const;

/** Whether the account has at least one of each. */
export async function findSetup(tx: Transaction, accountId: AccountId) {
  const setup: Record<string, boolean> = {};
  for (const [name, rows] of Object.entries(SETUP)) {
    setup[name] = (await tx.get(`SELECT 1 AS one FROM ${rows} LIMIT 1`, { accountId })) !== undefined;
  }
  return setup as Record<keyof typeof SETUP, boolean>;
}

export interface ProgramOverview {
  id: ProgramId;
  name: string;
  /** Minor units by currency; empty for an archived program, whose partners would never reach it. */
  minimumPayout: Readonly<Record<string, number>>;
}

/** The account's name and its programs, oldest first. */
export async function findPrograms(tx: Transaction, accountId: AccountId) {
  const account = await tx.get<{ name: string }>('SELECT name FROM accounts WHERE id = @accountId', { accountId });
  const rows = await tx.all<Omit<ProgramOverview, 'minimumPayout'> & { minimumPayout: string }>(
    `SELECT g.id, g.name, CASE WHEN g.archived_at IS NULL THEN g.minimum_payout ELSE '{}' END AS "minimumPayout"
     FROM programs g
     WHERE g.account_id = @accountId AND g.deleted_at IS NULL ORDER BY g.id`,
    { accountId },
  );
  const programs: ProgramOverview[] = rows.map((row) => ({ ...row, minimumPayout: JSON.parse(row.minimumPayout) }));
  return { name: account?.name ?? '', programs };
}

/** The sums of the payouts of a state in one currency. */
export interface PayoutSums {
  currency: string;
  count: number;
  amount: number;
}

const sumsOf = (states: string) =>
  `SELECT p.currency, COUNT(*) AS count, CAST(SUM(p.amount) AS BIGINT) AS amount FROM payouts p
     WHERE p.account_id = @accountId AND p.status ${states} AND p.entry_count > 0
     GROUP BY p.currency ORDER BY p.currency`;

/** Payouts by currency. Queued payouts, which are the partners' open entries, count only if they have entries. */
export function sumPayouts(tx: Transaction, accountId: AccountId, payouts: { status: 'queued' | 'held' | 'paid' }) {
  return tx.all<PayoutSums>(sumsOf('= @status'), { accountId, ...payouts });
}

/** Payouts that a run started and that have not ended, by currency. */
export function sumPayoutsUnderWay(tx: Transaction, accountId: AccountId) {
  return tx.all<PayoutSums>(sumsOf("IN ('processing', 'held')"), { accountId });
}

/**
 * The sum of a program's entries in one currency whose hold is over and that no payout contains, and the part that a run
 * would pay.
 */
export interface DueSums {
  due: number;
  payable: number;
  payableCount: number;
}

/**
 * The next run pays what an interrupted one has collected, and what archived partners are owed, even below the minimum.
 */
export async function sumDue(
  tx: Transaction,
  accountId: AccountId,
  group: { programId: ProgramId; currency: string; minimum: number; now: number },
): Promise<DueSums> {
  const row = await tx.get<DueSums>(
    `SELECT CAST(COALESCE(SUM(q.due), 0) AS BIGINT) AS due,
       CAST(COALESCE(SUM(CASE WHEN q.due >= q.minimum THEN q.due ELSE 0 END), 0) AS BIGINT) AS payable,
       CAST(COALESCE(SUM(CASE WHEN q.due >= q.minimum THEN 1 ELSE 0 END), 0) AS BIGINT) AS "payableCount"
     FROM (SELECT p.collected_amount + (SELECT CAST(COALESCE(SUM(o.amount), 0) AS BIGINT) FROM open_entries o
         WHERE o.partner_id = p.partner_id AND o.currency = p.currency AND o.due_at <= @now) AS due,
         CASE WHEN COALESCE(p.collecting_at, (SELECT r.archived_at FROM partners r WHERE r.id = p.partner_id)) IS NULL
           THEN CAST(@minimum AS BIGINT) ELSE 1 END AS minimum
       FROM payouts p
       WHERE p.account_id = @accountId AND p.status = 'queued' AND p.entry_count > 0
         AND p.program_id = @programId AND p.currency = @currency) q`,
    { accountId, ...group },
  );
  return row ?? { due: 0, payable: 0, payableCount: 0 };
}
