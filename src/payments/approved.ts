import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PaymentId, SaleId } from '../core/ids.ts';
import { deleteApproval, findDueApprovals, takeApproval } from '../events/approvals.ts';
import type { Transaction } from '../storage/database.ts';
import { findSale } from './queries/list-sales.ts';
import { recordSaleEvent } from './sale-events.ts';

const SALES_PER_ROUND = 200;

/**
 * Records `sale.approved` once for each sale whose hold is over, in accounts that subscribe to it. The cost grows with
 * the due sales only. A sale that is refunded, disputed or waiting for a review is reported when that ends. Returns the
 * number of sales examined.
 */
export async function recordApprovals({ database, clock, lifecycle }: Service): Promise<number> {
  const now = clock();
  const due = await database.read((tx) => findDueApprovals(tx, now, SALES_PER_ROUND));
  for (const approval of due) {
    if (lifecycle.draining) break;
    await database.write((tx) => recordApproval(tx, approval, now), { alone: true });
  }
  return due.length;
}

async function recordApproval(
  tx: Transaction,
  { accountId, saleId, paymentId }: { accountId: AccountId; saleId: SaleId; paymentId: PaymentId | null },
  now: number,
): Promise<void> {
  // a refund of the same sale waits for this claim, and then finds the event either recorded or kept back
  await tx.claim(() => (paymentId === null ? [] : [claimKeys.payment(paymentId)]));
  if (!(await takeApproval(tx, accountId, saleId, now))) return;
  const sale = await findSale(tx, accountId, saleId, now);
  if (sale !== undefined && sale.status !== 'approved' && sale.status !== 'paid') return;
  await deleteApproval(tx, accountId, saleId);
  if (sale !== undefined) await recordSaleEvent(tx, 'sale.approved', { accountId, saleId, now });
}
