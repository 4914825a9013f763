import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import { type Actor, actorName } from '../core/actor.ts';
import type { TraceStep } from '../core/attribution.ts';
import type { AccountId, SaleId } from '../core/ids.ts';
import type { Review } from '../core/self-referral.ts';
import { notFound, ServiceError } from '../errors.ts';
import { reconsiderApproval } from '../events/approvals.ts';
import { endReview } from '../ledger/entries.ts';
import { updateReview } from './queries/reversible-sales.ts';
import { findSalePayment, findSteps } from './queries/sales.ts';
import { getReversibleSale, ownerOf, settleEarlierReversals } from './reverse-sale.ts';
import { recordSaleEvent } from './sale-events.ts';

/** A person's decision about a flagged sale. */
export interface SaleReview {
  accountId: AccountId;
  saleId: string;
  decision: Exclude<Review, 'flagged'>;
  reason: string | null;
  actor: Actor;
}

/**
 * Decides on a flagged self-referral. An approved sale is paid like any other. A rejected one earns nothing, and its
 * commission is reversed in full. The sale's trace records who decided and why.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` unless the sale is flagged
 */
export async function reviewSale(
  service: Service,
  { accountId, saleId: id, decision, reason, actor }: SaleReview,
): Promise<void> {
  const now = service.clock();
  const by = actorName(actor);
  await service.database.write(
    async (tx) => {
      const salePayment = await findSalePayment(tx, accountId, id);
      if (!salePayment) throw notFound('sale', id);
      const { saleId, paymentId } = salePayment;
      await tx.claim(() => [claimKeys.payment(paymentId)]);
      const sale = await getReversibleSale(tx, accountId, saleId);
      if (sale.review !== 'flagged') throw notFlagged(saleId, decision, sale.review);
      const step: TraceStep = {
        step: 'self_referral',
        value: by,
        result: 'noted',
        reason: reason ? `${decision} by ${by}: ${reason}` : `${decision} by ${by}`,
      };
      await updateReview(tx, sale, decision, [...(await findSteps(tx, accountId, saleId)), step]);
      await endReview(tx, ownerOf(sale), now);
      await reconsiderApproval(tx, { accountId, saleId, dueAt: Math.max(now, sale.availableAt) });
      noteChange(tx, { resourceId: saleId, before: { review: sale.review }, after: { review: decision, reason } });
      if (decision === 'approved') await recordSaleEvent(tx, 'sale.updated', { accountId, saleId, now });
      else await settleEarlierReversals(tx, now, { ...sale, review: decision }, 'sale.updated');
    },
    { alone: true },
  );
}

function notFlagged(saleId: SaleId, decision: string, review: Review | null): ServiceError {
  const state = review === null ? 'was not flagged' : `is ${review}`;
  return new ServiceError('INVALID_STATE', `Sale ${saleId} ${state}; only a sale that is flagged can be ${decision}`);
}
