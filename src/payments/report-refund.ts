import { z } from 'zod';
import { claimKeys } from '../app/claims.ts';
import { parseInput, text } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import { wholeNumber } from '../app/whole-number.ts';
import { AMOUNT_MAX, formatMoney } from '../core/money.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { findRefund, recordRefund } from './queries/refunds.ts';
import { findSalePayment, getReversibleSale, type ReversibleSale } from './queries/sales.ts';
import { settleReversal } from './reverse-sale.ts';

const refundInput = z.object({ refundId: text(), amount: wholeNumber(1, AMOUNT_MAX) });

/**
 * A refund that the caller's own checkout reports, in the sale's currency. Counted like one that came by webhook, and
 * once with it where both name it by the same id. A repeat changes nothing.
 *
 * @param body `{refundId, amount}`, minor units; more than was paid counts as what was paid
 * @returns whether it was new
 * @throws ServiceError `VALIDATION_ERROR`, `NOT_FOUND`; `CONFLICT` when the id is taken by another amount or sale;
 * `INVALID_STATE` for a sale that turned out to be a second record of another
 */
export async function reportRefund(
  service: Service,
  accountId: string,
  saleId: string,
  body: unknown,
): Promise<{ isNew: boolean }> {
  const { refundId, amount } = parseInput(refundInput, body);
  const now = service.clock();
  return service.database.write(async (tx) => {
    const named = await findSalePayment(tx, accountId, saleId);
    if (!named) throw notFound('sale', saleId);
    await tx.claim(() => [claimKeys.refund(accountId, refundId), claimKeys.payment(named.paymentId)]);
    const sale = await getReversibleSale(tx, accountId, saleId);
    if (!sale) throw new Error(`Sale ${saleId} was found and is missing`);
    if (sale.voidedReason !== null) {
      throw new ServiceError(
        'INVALID_STATE',
        `Sale ${saleId} is void (${sale.voidedReason}); report the refund of that`,
      );
    }
    const { processor } = named;
    await refuseOther(tx, sale, processor, refundId, amount);
    const isNew = await recordRefund(tx, {
      accountId,
      processor,
      refundKey: refundId,
      paymentId: sale.paymentId,
      kind: 'refund',
      amount,
      currency: sale.currency,
      failed: 0,
      deliveryId: null,
      occurredAt: now,
      createdAt: now,
    });
    if (isNew) await settleReversal(tx, { accountId, now }, saleId);
    return { isNew };
  });
}

async function refuseOther(
  tx: Transaction,
  sale: ReversibleSale,
  processor: string,
  refundId: string,
  amount: number,
): Promise<void> {
  const known = await findRefund(tx, sale.accountId, processor, refundId);
  if (!known) return;
  const name = `Refund ${JSON.stringify(refundId)}`;
  if (known.paymentId !== sale.paymentId) throw new ServiceError('CONFLICT', `${name} is one of another sale`);
  if (known.amount === null || (known.amount === amount && known.currency === sale.currency)) return;
  const recorded = formatMoney(known.amount, known.currency);
  throw new ServiceError(
    'CONFLICT',
    `${name} of this sale was recorded with ${recorded}, not ${formatMoney(amount, sale.currency)}; give a further refund its own id`,
  );
}
