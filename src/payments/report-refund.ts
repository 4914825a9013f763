import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { formatMoney } from '../core/money.ts';
import type { PaymentProcessor } from '../core/processor.ts';
import type { RefundState } from '../core/refund-report.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { findRefund, recordRefund } from './queries/refunds.ts';
import { findSalePayment, type ReversibleSale } from './queries/sales.ts';
import { getReversibleSale, settleReversals } from './reverse-sale.ts';
import type { RefundInput } from './sale-schemas.ts';

/**
 * Records a refund that the caller's own checkout reports, in the sale's currency. Counts like a refund that arrives by
 * webhook, and only once when both have the same id. Idempotent.
 *
 * @param input in minor units; counts at most the amount paid
 * @returns whether the refund was new
 * @throws ServiceError `NOT_FOUND`; `CONFLICT` when the id is taken by another amount or sale; `INVALID_STATE` for a
 * sale that turned out to be a duplicate of another
 */
export async function reportRefund(
  service: Service,
  accountId: AccountId,
  id: string,
  { refundId, amount }: RefundInput,
): Promise<{ isNew: boolean }> {
  const now = service.clock();
  return service.database.write(async (tx) => {
    const salePayment = await findSalePayment(tx, accountId, id);
    if (!salePayment) throw notFound('sale', id);
    await tx.claim(() => [claimKeys.refund(accountId, refundId), claimKeys.payment(salePayment.paymentId)]);
    const sale = await getReversibleSale(tx, accountId, salePayment.saleId);
    if (sale.voidedReason !== null) {
      throw new ServiceError(
        'INVALID_STATE',
        `Sale ${sale.id} is void (${sale.voidedReason}); report the refund for that sale`,
      );
    }
    const { processor } = salePayment;
    const known = await requireSameRefund(tx, sale, { processor, refundId, amount });
    const isNew = await recordRefund(tx, {
      accountId,
      processor,
      refundKey: refundId,
      paymentId: sale.paymentId,
      kind: 'refund',
      amount,
      commissionable: null,
      currency: sale.currency,
      // the time of a repeated report says nothing about a failure that the processor reported
      refundedAt: known ? null : now,
      failedAt: null,
      deliveryId: null,
      occurredAt: now,
      createdAt: now,
    });
    if (isNew) await settleReversals(tx, now, sale);
    return { isNew };
  });
}

/** The stored refund with this id, if any; refuses an id that a different refund of this or another sale has. */
async function requireSameRefund(
  tx: Transaction,
  sale: ReversibleSale,
  { processor, refundId, amount }: { processor: PaymentProcessor; refundId: string; amount: number },
): Promise<RefundState | null> {
  const known = await findRefund(tx, sale.accountId, processor, refundId);
  if (!known) return null;
  const name = `Refund ${JSON.stringify(refundId)}`;
  if (known.paymentId !== sale.paymentId) throw new ServiceError('CONFLICT', `${name} belongs to another sale`);
  if (known.amount === null || (known.amount === amount && known.currency === sale.currency)) return known;
  const recorded = formatMoney(known.amount, known.currency);
  throw new ServiceError(
    'CONFLICT',
    `${name} of this sale was recorded with ${recorded}, not ${formatMoney(amount, sale.currency)}; use a separate id for each refund`,
  );
}
