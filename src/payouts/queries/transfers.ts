import type { AccountId, PayoutId } from '../../core/ids.ts';
import type { TransferHindrance, TransferStatus } from '../../core/payout.ts';
import type { TransferRailName } from '../../rails/contract/rail.ts';
import type { Transaction } from '../../storage/database.ts';
import { manyIds } from '../../storage/many-ids.ts';

/** What is ordered. Committed before the first call, and the same in each. */
export interface NewTransfer {
  payoutId: PayoutId;
  accountId: AccountId;
  rail: TransferRailName;
  /** The account that pays, and whether with real money. */
  platformId: string;
  isLive: number;
  destination: string;
  amount: number;
  currency: string;
  createdAt: number;
  createdBy: string;
}

export interface TransferRow extends Omit<NewTransfer, 'destination'> {
  /** Null once the partner was erased. */
  destination: string | null;
  status: TransferStatus;
  /** The provider's id of the payment. */
  transferId: string | null;
  problem: string | null;
  /** How often it was ordered. */
  attempts: number;
  firstAttemptAt: number | null;
  /** The same by the provider's clock; null if it told no time. */
  firstAttemptRailAt: number | null;
  dueAt: number | null;
  endedAt: number | null;
}

export async function insertTransfer(tx: Transaction, transfer: NewTransfer): Promise<void> {
  await tx.run(
    `INSERT INTO payout_transfers (payout_id, account_id, rail, platform_id, is_live, destination, amount, currency,
       status, created_at, created_by, attempts, due_at)
     VALUES (@payoutId, @accountId, @rail, @platformId, @isLive, @destination, @amount, @currency, 'sending',
       @createdAt, @createdBy, 0, @createdAt)`,
    { ...transfer },
  );
}

const TRANSFER = `SELECT t.payout_id AS "payoutId", t.account_id AS "accountId", t.rail, t.platform_id AS "platformId",
    t.is_live AS "isLive", t.destination, t.amount, t.currency, t.status, t.transfer_id AS "transferId", t.problem,
    t.created_at AS "createdAt", t.created_by AS "createdBy", t.attempts, t.first_attempt_at AS "firstAttemptAt",
    t.first_attempt_rail_at AS "firstAttemptRailAt", t.due_at AS "dueAt", t.ended_at AS "endedAt"
  FROM payout_transfers t WHERE t.account_id = @accountId`;

export function findTransfer(tx: Transaction, accountId: AccountId, payoutId: string) {
  return tx.get<TransferRow>(`${TRANSFER} AND t.payout_id = @payoutId`, { accountId, payoutId });
}

const findByPayouts = manyIds<TransferRow>((list) => `${TRANSFER} AND t.payout_id IN ${list}`);

/** The transfers of those of the account's payouts that have one. */
export function findTransfers(tx: Transaction, accountId: AccountId, payoutIds: readonly string[]) {
  return findByPayouts(tx, payoutIds, { accountId });
}

/** Has a held transfer looked for again. */
export function lookAgain(tx: Transaction, payoutId: PayoutId, now: number): Promise<number> {
  const sql = `UPDATE payout_transfers SET due_at = @now WHERE payout_id = @payoutId AND status = 'held'`;
  return tx.run(sql, { payoutId, now });
}

export type TransferLease = { payoutId: PayoutId; leasedBy: string };

export type TransferDue = {
  now: number;
  /** Nothing is due later than this, and no lease is longer: a later time is of a wrong clock, and counts for nothing. */
  far: number;
};

const IS_FREE = '(t.leased_until IS NULL OR t.leased_until <= @now OR t.leased_until > @far)';
/** Either is one range of the index, so that nothing postponed is read. */
const DUE_RANGES = ['t.due_at <= @now', 't.due_at > @far'] as const;

/** An account's transfers that nobody sees to now, longest waiting first. */
export async function findDueTransfers(
  tx: Transaction,
  accountId: AccountId,
  { limit, ...due }: TransferDue & { limit: number },
): Promise<PayoutId[]> {
  const found: PayoutId[] = [];
  for (const range of DUE_RANGES) {
    const rows = await tx.all<{ payoutId: PayoutId }>(
      `SELECT t.payout_id AS "payoutId" FROM payout_transfers t
       WHERE t.account_id = @accountId AND ${range} AND ${IS_FREE} ORDER BY t.due_at LIMIT @limit`,
      { accountId, ...due, limit: limit - found.length },
    );
    found.push(...rows.map(({ payoutId }) => payoutId));
  }
  return found;
}

const firstDueOf = (range: string) => `(SELECT t.due_at FROM payout_transfers t
         WHERE t.account_id = w.account_id AND ${range} AND ${IS_FREE} ORDER BY t.due_at LIMIT 1)`;

/**
 * Accounts with such transfers, longest waiting first. Of each account, it reads the first entries of the index up to one
 * that is not leased, and none that is postponed.
 */
export async function findAccountsToSend(tx: Transaction, due: TransferDue): Promise<AccountId[]> {
  const rows = await tx.all<{ accountId: AccountId; dueAt: number | null }>(
    `WITH RECURSIVE waiting (account_id) AS (
       SELECT (SELECT MIN(t.account_id) FROM payout_transfers t WHERE t.due_at IS NOT NULL)
       UNION ALL
       SELECT (SELECT MIN(t.account_id) FROM payout_transfers t
         WHERE t.due_at IS NOT NULL AND t.account_id > w.account_id)
       FROM waiting w WHERE w.account_id IS NOT NULL)
     SELECT w.account_id AS "accountId", COALESCE(${DUE_RANGES.map(firstDueOf).join(', ')}) AS "dueAt"
     FROM waiting w WHERE w.account_id IS NOT NULL`,
    due,
  );
  // a condition on the time would have both engines look it up twice
  return rows
    .flatMap(({ accountId, dueAt }) => (dueAt === null ? [] : [{ accountId, dueAt }]))
    .sort((one, other) => one.dueAt - other.dueAt)
    .map(({ accountId }) => accountId);
}

/** 0 when another process was faster, or nobody should see to it any more. */
export function leaseTransfer(
  tx: Transaction,
  lease: TransferLease & TransferDue & { leasedUntil: number },
): Promise<number> {
  return tx.run(
    `UPDATE payout_transfers AS t SET leased_by = @leasedBy, leased_until = @leasedUntil
     WHERE t.payout_id = @payoutId AND (${DUE_RANGES.join(' OR ')}) AND ${IS_FREE}`,
    lease,
  );
}

const IS_OWN = 'payout_id = @payoutId AND leased_by = @leasedBy AND due_at IS NOT NULL';

/**
 * Notes that it is ordered now, by both clocks. To be committed before. A time that the provider tells later says nothing
 * of the first order. Returns 0 when somebody else has it.
 */
export function noteOrder(
  tx: Transaction,
  order: TransferLease & { now: number; railNow: number | null },
): Promise<number> {
  return tx.run(
    `UPDATE payout_transfers SET attempts = attempts + 1, first_attempt_at = COALESCE(first_attempt_at, @now),
       first_attempt_rail_at = CASE WHEN first_attempt_at IS NULL THEN @railNow ELSE first_attempt_rail_at END
     WHERE ${IS_OWN} AND status = 'sending'`,
    order,
  );
}

/** Releases a transfer, to see to it again at `dueAt`; null if nobody should. */
export function postponeTransfer(
  tx: Transaction,
  release: TransferLease & { dueAt: number | null; problem: string; hindrance: TransferHindrance | null },
): Promise<number> {
  return tx.run(
    `UPDATE payout_transfers SET due_at = @dueAt, problem = @problem, hindrance = @hindrance, leased_by = NULL,
       leased_until = NULL
     WHERE ${IS_OWN}`,
    release,
  );
}

export type TransferEnd = TransferLease & {
  status: Exclude<TransferStatus, 'sending'>;
  /** Null if nothing new is known of it. */
  transferId: string | null;
  problem: string | null;
  /** Null while it is held. */
  endedAt: number | null;
};

/** Records what became of it. Returns 0 when somebody else has it. */
export function endTransfer(tx: Transaction, end: TransferEnd): Promise<number> {
  return tx.run(
    `UPDATE payout_transfers SET status = @status, transfer_id = COALESCE(@transferId, transfer_id),
       problem = @problem, hindrance = NULL, ended_at = @endedAt, due_at = NULL, leased_by = NULL, leased_until = NULL
     WHERE ${IS_OWN}`,
    end,
  );
}

export interface HinderedRow {
  payoutId: PayoutId;
  rail: TransferRailName;
  hindrance: TransferHindrance;
  createdAt: number;
  firstAttemptAt: number | null;
}

/** An account's transfers that are under way, and are not made until a person acts; oldest first. */
export function findHinderedTransfers(tx: Transaction, accountId: AccountId, limit: number) {
  return tx.all<HinderedRow>(
    `SELECT t.payout_id AS "payoutId", t.rail, t.hindrance, t.created_at AS "createdAt",
       t.first_attempt_at AS "firstAttemptAt"
     FROM payout_transfers t
     WHERE t.account_id = @accountId AND t.status = 'sending' AND t.hindrance IS NOT NULL
     ORDER BY t.payout_id LIMIT @limit`,
    { accountId, limit },
  );
}

/** The status and rail of the payout's transfer. */
export function findTransferStatus(tx: Transaction, payoutId: PayoutId) {
  const sql = 'SELECT t.status, t.rail FROM payout_transfers t WHERE t.payout_id = @payoutId';
  return tx.get<Pick<TransferRow, 'status' | 'rail'>>(sql, { payoutId });
}

export interface EndedTransfer {
  payoutId: PayoutId;
  status: 'sent' | 'failed';
  endedAt: number;
}

/**
 * Ends a held transfer, once a person has said what became of it. Nobody sees to it any more. Returns 0 when it is not held,
 * or would fail while it is looked for.
 */
export function endHeldTransfer(tx: Transaction, transfer: EndedTransfer): Promise<number> {
  return tx.run(
    `UPDATE payout_transfers SET status = @status, ended_at = @endedAt, due_at = NULL, leased_by = NULL,
       leased_until = NULL
     WHERE payout_id = @payoutId AND status = 'held' AND (@status <> 'failed' OR due_at IS NULL)`,
    { ...transfer },
  );
}
