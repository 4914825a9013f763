import type { AccountId, PartnerId, PayoutId, ProgramId } from '../../core/ids.ts';
import { safeSum } from '../../storage/conditions/safe-sums.ts';
import type { Transaction } from '../../storage/database.ts';
import type { LargeSum } from './queued.ts';

/** A partner's queued payout in one currency, with the terms that decide whether it is worth paying. */
export interface QueuedCandidate {
  id: PayoutId;
  programId: ProgramId;
  partnerId: PartnerId;
  partnerName: string;
  currency: string;
  /** The number of all its entries, due or not. */
  entryCount: number;
  /** The time of the run that is collecting it; null when no run is. */
  collectingAt: number | null;
  collectedAmount: number;
  collectedCount: number;
  /**
   * The program's minimum in minor units of the payout's currency; undefined when the program sets none, and for those who
   * earn no more, because they are archived: they would never reach it.
   */
  minimumMinor: number | undefined;
}

/** `minimumPayout`: minor units by currency, as JSON. */
type CandidateRow = Omit<QueuedCandidate, 'minimumMinor'> & { minimumPayout: string };

/** The name is no join, with which PostgreSQL would read all candidates and sort them. */
const CANDIDATES = `
  SELECT p.id, p.program_id AS "programId", p.partner_id AS "partnerId", p.currency, p.entry_count AS "entryCount",
    p.collecting_at AS "collectingAt", p.collected_amount AS "collectedAmount",
    p.collected_count AS "collectedCount",
    CASE WHEN COALESCE(g.archived_at, (SELECT r.archived_at FROM partners r WHERE r.id = p.partner_id)) IS NULL
      THEN g.minimum_payout ELSE '{}' END AS "minimumPayout",
    (SELECT r.name FROM partners r WHERE r.id = p.partner_id) AS "partnerName"
  FROM payouts p JOIN programs g ON g.id = p.program_id
  WHERE p.account_id = @accountId AND p.status = 'queued'`;

/** The account's queued payouts that have entries and an id above `afterId`, in id order. */
export async function findQueued(
  tx: Transaction,
  accountId: AccountId,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<QueuedCandidate[]> {
  const sql = `${CANDIDATES} AND p.entry_count > 0 AND p.id > @afterId ORDER BY p.id LIMIT @limit`;
  return (await tx.all<CandidateRow>(sql, { accountId, afterId, limit })).map(asCandidate);
}

/** The account's payouts that a run has begun to collect, in id order. */
export async function findCollecting(tx: Transaction, accountId: AccountId): Promise<QueuedCandidate[]> {
  const sql = `${CANDIDATES} AND p.collecting_at IS NOT NULL ORDER BY p.id`;
  return (await tx.all<CandidateRow>(sql, { accountId })).map(asCandidate);
}

function asCandidate({ minimumPayout, ...row }: CandidateRow): QueuedCandidate {
  const minimums = JSON.parse(minimumPayout) as Record<string, number>;
  return { ...row, minimumMinor: minimums[row.currency] };
}

/** A position in the order in which a partner's open entries become due. */
export type DuePlace = { dueAt: number; entryId: string };

/** Open entries of one partner in one currency: those after one position, up to and including another. */
export interface DueRange {
  partnerId: PartnerId;
  currency: string;
  after: DuePlace;
  to: DuePlace;
}

/** The condition of a range on `open_entries o`. */
export const IN_RANGE = `o.partner_id = @partnerId AND o.currency = @currency
    AND (o.due_at, o.entry_id) > (@afterDueAt, @afterEntryId) AND (o.due_at, o.entry_id) <= (@toDueAt, @toEntryId)`;

export function rangeParameters({ partnerId, currency, after, to }: DueRange) {
  return {
    ...{ partnerId, currency },
    ...{ afterDueAt: after.dueAt, afterEntryId: after.entryId, toDueAt: to.dueAt, toEntryId: to.entryId },
  };
}

/** The position of the `count`th entry of a range; undefined when the range has fewer. */
export function findPlace(tx: Transaction, range: DueRange, count: number) {
  return tx.get<DuePlace>(
    `SELECT o.due_at AS "dueAt", o.entry_id AS "entryId" FROM open_entries o WHERE ${IN_RANGE}
     ORDER BY o.due_at, o.entry_id LIMIT 1 OFFSET @skipped`,
    { ...rangeParameters(range), skipped: count - 1 },
  );
}

export async function sumRange(tx: Transaction, range: DueRange): Promise<LargeSum> {
  const sum = await tx.get<LargeSum>(
    `SELECT ${safeSum('g.amount')} AS amount, g."entryCount"
     FROM (SELECT COALESCE(SUM(o.amount), 0) AS amount, COUNT(*) AS "entryCount"
       FROM open_entries o WHERE ${IN_RANGE}) g`,
    rangeParameters(range),
  );
  return sum ?? { amount: 0, entryCount: 0 };
}
