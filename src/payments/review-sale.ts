import { z } from 'zod';
import { claimKeys } from '../app/claims.ts';
import { freeText, optional, parseInput } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import type { TraceStep } from '../core/attribution.ts';
import type { Review } from '../core/self-referral.ts';
import { notFound, ServiceError } from '../errors.ts';
import { findSalePayment, getReversibleSale, updateReview } from './queries/sales.ts';
import { settleWaiting } from './settle-waiting.ts';

const reviewInput = z.object({ reason: optional(freeText(500)) });

/**
 * Decides about a sale that the self-referral guard flagged: an approved one is paid like any other, a rejected one
 * earns nothing, its commission is taken back whole. Who decided and why stands in the sale's trace.
 *
 * @param body `{reason?}`
 * @param by an API key's id
 * @throws ServiceError `VALIDATION_ERROR`, `NOT_FOUND`; `INVALID_STATE` unless the sale is flagged
 */
export async function reviewSale(
  service: Service,
  accountId: string,
  saleId: string,
  decision: Exclude<Review, 'flagged'>,
  body: unknown,
  by: string,
): Promise<void> {
  const { reason } = parseInput(reviewInput, body ?? {});
  const now = service.clock();
  await service.database.write(async (tx) => {
    const named = await findSalePayment(tx, accountId, saleId);
    if (!named) throw notFound('sale', saleId);
    await tx.claim(() => [claimKeys.payment(named.paymentId)]);
    const sale = await getReversibleSale(tx, accountId, saleId);
    if (sale?.review !== 'flagged') throw notFlagged(saleId, decision, sale?.review ?? null);
    const step: TraceStep = {
      step: 'self_referral',
      value: by,
      result: 'noted',
      reason: reason ? `${decision} by ${by}: ${reason}` : `${decision} by ${by}`,
    };
    const steps = [...(JSON.parse(sale.steps) as TraceStep[]), step];
    await updateReview(tx, sale, decision, JSON.stringify(steps));
    if (decision === 'rejected') await settleWaiting(tx, { accountId, now }, saleId);
  });
}

function notFlagged(saleId: string, decision: string, review: Review | null): ServiceError {
  const state = review === null ? 'was not flagged' : `is ${review}`;
  return new ServiceError('INVALID_STATE', `Sale ${saleId} ${state}; only a sale that is flagged can be ${decision}`);
}
