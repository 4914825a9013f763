import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PaymentId, SaleId } from '../core/ids.ts';
import { formatMoney } from '../core/money.ts';
import type { PaymentProcessor } from '../core/processor.ts';
import { idsInParts } from '../core/refund-report.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { attributeParked } from './backfill.ts';
import { findPayment } from './queries/payments.ts';
import { claimInvoicedPayments } from './queries/references.ts';
import { findRefund, findRefundNamed } from './queries/refunds.ts';
import { findSalePayment } from './queries/sales.ts';
import { paymentOfReport } from './receive-reversal.ts';
import { recordRefund } from './record-refunds.ts';
import { parkedAnswerOf } from './report-sale.ts';
import type { ParkedAnswer } from './resources/parked-schemas.ts';
import type { InvoiceRefundInput, RefundInput } from './resources/sale-schemas.ts';
import { getReversibleSale, settleReversals } from './reverse-sale.ts';
import type { Scope } from './scope.ts';

/**
 * Records a refund that the caller's own checkout reports, in the sale's currency. Counts like a refund that arrives by
 * webhook; if both have the same id, it counts once. Idempotent.
 *
 * @param input in minor units; at most the amount paid counts
 * @returns whether the refund was new
 * @throws ServiceError `NOT_FOUND`; `VALIDATION_ERROR` for another currency; `CONFLICT` when the id belongs to a refund of
 * another amount or sale; `INVALID_STATE` for a sale that turned out to be a duplicate of another
 */
export async function reportRefund(
  service: Service,
  accountId: AccountId,
  id: string,
  refund: RefundInput,
): Promise<{ isNew: boolean }> {
  const scope = { accountId, now: service.clock() };
  return service.database.write(async (tx) => {
    const salePayment = await findSalePayment(tx, accountId, id);
    if (!salePayment) throw notFound('sale', id);
    await tx.claim(() => [claimKeys.refund(accountId, refund.refundId), claimKeys.payment(salePayment.paymentId)]);
    return { isNew: await refundSale(tx, scope, salePayment, refund) };
  });
}

/**
 * Like `reportRefund`, for the payment with this invoice. A refund of a parked payment waits with the payment and
 * counts when that becomes a sale.
 *
 * @throws ServiceError `NOT_FOUND` when no sale or parked payment has the invoice; otherwise like `reportRefund`
 */
export async function reportRefundOfInvoice(
  service: Service,
  accountId: AccountId,
  { invoiceId, ...refund }: InvoiceRefundInput,
): Promise<{ isNew: boolean; saleId: SaleId } | ParkedAnswer> {
  const scope = { accountId, now: service.clock() };
  return service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.refund(accountId, refund.refundId), claimKeys.reference(accountId, invoiceId)]);
    const payments = await claimInvoicedPayments(tx, accountId, invoiceId);
    const counted = payments.find(({ saleId }) => saleId !== null);
    if (counted?.saleId) {
      const { id: paymentId, processor, saleId } = counted;
      return { isNew: await refundSale(tx, scope, { paymentId, processor, saleId }, refund), saleId };
    }
    const parked = payments.find((payment) => payment.parked !== null);
    if (!parked?.parked) throw notFound('sale with invoice id', invoiceId);
    const { id: paymentId, processor } = parked;
    const { currency } = parked.parked.fact;
    const isNew = await storeRefund(tx, scope, { paymentId, processor, currency }, refund);
    if (isNew) noteChange(tx, { resourceId: paymentId, after: { ...refund, currency } });
    // a processor may have reported the same refund for a payment that names its customer
    const saleId = isNew ? await attributeParked(tx, scope, paymentId) : null;
    return saleId === null ? parkedAnswerOf(tx, accountId, paymentId) : { isNew, saleId };
  });
}

/** Returns whether the refund was new. The caller has claimed the refund and the payment. */
async function refundSale(
  tx: Transaction,
  scope: Scope,
  { saleId, paymentId, processor }: { saleId: SaleId; paymentId: PaymentId; processor: PaymentProcessor },
  refund: RefundInput,
): Promise<boolean> {
  const sale = await getReversibleSale(tx, scope.accountId, saleId);
  if (sale.voidedReason !== null) {
    throw new ServiceError(
      'INVALID_STATE',
      `Sale ${sale.id} is void (${sale.voidedReason}); report the refund for that sale`,
    );
  }
  // later than the import of an imported sale, even if this clock is behind the importing process's
  const reported = { accountId: scope.accountId, now: Math.max(scope.now, sale.createdAt + 1) };
  const isNew = await storeRefund(tx, reported, { paymentId, processor, currency: sale.currency }, refund);
  if (isNew) {
    // read again: another payment may have been merged into it
    await settleReversals(tx, scope.now, await getReversibleSale(tx, scope.accountId, saleId));
    noteChange(tx, { resourceId: saleId, after: { ...refund, currency: sale.currency } });
  }
  return isNew;
}

/** A payment that money was returned from, in its own currency. */
interface RefundedPayment {
  paymentId: PaymentId;
  processor: PaymentProcessor;
  currency: string;
}

/** Returns whether the refund was new to this payment. */
async function storeRefund(
  tx: Transaction,
  scope: Scope,
  payment: RefundedPayment,
  { refundId, amount, currency }: RefundInput,
): Promise<boolean> {
  const { accountId, now } = scope;
  if (currency !== null && currency !== payment.currency) {
    const message = `is ${currency}, but the payment is in ${payment.currency}: report the refund in its currency`;
    throw validationError([{ path: 'currency', message }]);
  }
  const isMerged = await mergeAwaitedHolder(tx, scope, payment, refundId);
  const known = await requireSameRefund(tx, accountId, payment, { refundId, amount });
  if (known === 'in parts') return false;
  const isNew = await recordRefund(tx, {
    accountId,
    ...payment,
    processor: known?.processor ?? payment.processor,
    refundKey: refundId,
    kind: 'refund',
    amount,
    commissionable: null,
    lines: [],
    // a failure that the processor reported holds, however late the caller reports the refund
    refundedAt: null,
    failedAt: null,
    chargeId: null,
    released: null,
    deliveryId: null,
    occurredAt: now,
    createdAt: now,
  });
  return isNew || isMerged;
}

/**
 * Merges the payment that the processor's report of this refund named, if it is only awaited: the refund's id proves
 * that it is the same payment. Returns whether it was merged. The caller has claimed the refund and `payment`.
 */
async function mergeAwaitedHolder(
  tx: Transaction,
  scope: Scope,
  { paymentId, processor }: RefundedPayment,
  refundId: string,
): Promise<boolean> {
  const findEarlier = () => findRefund(tx, scope.accountId, processor, refundId);
  const earlier = await findEarlier();
  if (!earlier || earlier.paymentId === paymentId) return false;
  const payment = await findPayment(tx, scope.accountId, paymentId);
  if (payment === undefined) return false;
  const joined = await paymentOfReport(tx, scope, payment, findEarlier);
  return joined.payment.id === paymentId;
}

/**
 * The stored refund with this id, if there is one, including one that a processor reported for a sale that the caller
 * reported, in parts if it was in two currencies. Refuses an id that belongs to a different refund of this or another sale.
 */
async function requireSameRefund(
  tx: Transaction,
  accountId: AccountId,
  { paymentId, processor, currency }: RefundedPayment,
  { refundId, amount }: Omit<RefundInput, 'currency'>,
): Promise<{ processor: PaymentProcessor } | 'in parts' | null> {
  const stored = await findRefund(tx, accountId, processor, refundId);
  const name = `Refund ${JSON.stringify(refundId)}`;
  if (stored && stored.paymentId !== paymentId) throw new ServiceError('CONFLICT', `${name} belongs to another sale`);
  const ofPayment = stored ? [] : await findRefundNamed(tx, paymentId, refundId);
  if (idsInParts(ofPayment).has(refundId)) return 'in parts';
  const known = stored ? { ...stored, processor } : ofPayment.find(({ refundKey }) => refundKey === refundId);
  if (!known) return null;
  if (known.amount === null || (known.amount === amount && known.currency === currency)) return known;
  const recorded = formatMoney(known.amount, known.currency);
  throw new ServiceError(
    'CONFLICT',
    `${name} of this sale was recorded with ${recorded}, not ${formatMoney(amount, currency)}; use a separate id for each refund`,
  );
}
