import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { Transaction } from '../storage/database.ts';
import {
  type Approval,
  findOnHold,
  findUnnoted,
  insertApprovals,
  moveUnnoted,
  placeOf,
  progressAfter,
  wakeApproval,
} from './queries/approvals.ts';
import { isWanted } from './subscriptions.ts';

export { deleteApproval, findDueApprovals, takeApproval } from './queries/approvals.ts';

const SALES_PER_UNIT = 200;
const ENDPOINTS_PER_ROUND = 10;

/**
 * Schedules the approval event of a sale that is new, or begins to earn, unless it is scheduled already. Only the passing
 * of time triggers that event.
 */
export async function noteApproval(tx: Transaction, approval: Approval): Promise<void> {
  if (await isWanted(tx, approval.accountId, 'sale.approved')) await insertApprovals(tx, [approval]);
}

/** Call it after a refund, a dispute or a review changed a sale. If its approval was held back, it may now be due. */
export async function reconsiderApproval(tx: Transaction, approval: Approval): Promise<void> {
  if (await isWanted(tx, approval.accountId, 'sale.approved')) await wakeApproval(tx, approval);
}

/**
 * Schedules the approval events of sales that were on hold when an endpoint first subscribed to approvals; later sales
 * are scheduled when they are recorded. Looks twice: a unit of work that did not know the endpoint yet may commit its
 * sale after the first time. Works in slices, each a unit of work, which any process can continue.
 */
export async function noteSalesOnHold({ database, lifecycle, clock }: Service): Promise<void> {
  const unnoted = await database.read((tx) => findUnnoted(tx, clock(), ENDPOINTS_PER_ROUND));
  for (const { id, accountId, progress: first } of unnoted) {
    for (let progress: string | null = first; progress !== null && !lifecycle.draining; ) {
      const from: string = progress;
      const range = { afterId: placeOf(from), now: clock(), limit: SALES_PER_UNIT };
      const sales = await database.report((tx) => findOnHold(tx, accountId, range));
      const lastId = sales.length < SALES_PER_UNIT ? null : (sales.at(-1)?.saleId ?? null);
      const to = progressAfter(from, lastId, clock());
      const isOurs = await database.write(
        async (tx) => {
          await tx.claim(() => [claimKeys.eventApprovals(accountId)]);
          if (!(await moveUnnoted(tx, { id, from, to }))) return false;
          await insertApprovals(tx, sales);
          return true;
        },
        { alone: true },
      );
      progress = isOurs && lastId !== null ? to : null;
    }
  }
}
