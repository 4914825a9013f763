import type { Transaction } from '../storage/database.ts';
import { attributeParked } from './backfill.ts';
import { identifyPayer } from './identify-customer.ts';
import type { MergedPayment } from './merge.ts';
import type { Payment } from './queries/payments.ts';
import type { Scope } from './scope.ts';

/** The payment that a report named, and whether what it was merged with may have made it attributable. */
export type Joined = Pick<MergedPayment, 'payment' | 'mayBeEarned'>;

/**
 * The payment, attributed if it was parked and was merged with what names its customer, unless it has expired. The report that
 * joins the two, perhaps of a refund, may be the last one about this payment.
 */
export async function attributeMerged(
  tx: Transaction,
  scope: Scope,
  { payment, mayBeEarned }: Joined,
): Promise<Payment> {
  if (payment.parked === null || !mayBeEarned) return payment;
  const saleId = await attributeParked(tx, scope, payment.id);
  if (saleId === null) {
    await identifyPayer(tx, { ...scope, processor: payment.processor }, payment.parked.fact);
    return payment;
  }
  return { ...payment, state: 'counted', saleId, parked: null, expiresAt: null };
}
