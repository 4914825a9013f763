import type { Interpretation } from '../../src/core/facts.ts';
import { multiplyRatio } from '../../src/core/money.ts';
import { identifiedFact } from '../contract/identified.ts';
import { facts, unknown } from '../contract/interpretations.ts';
import { distinct } from '../contract/readers.ts';
import { transactionHints } from './customer-hints.ts';
import type { Transaction } from './payload.ts';

/**
 * Interprets a paid transaction. Paddle sends `transaction.paid` first, which may lack the subscription, then
 * `transaction.completed` with the same `txn_` id. Whichever arrives first counts; the other adds what it knows.
 *
 * `total` is subtotal − discount + tax. Gross is `grand_total`, the amount left to pay after credit; net and tax are
 * proportional to it. When nothing is charged (a trial, a new card, paid by credit): identity, with the discount, and a note.
 */
export function interpretTransaction(transaction: Transaction, occurredAt: number): Interpretation {
  const { id, invoice_id: invoiceId, discount_id: discountId, origin, details } = transaction;
  const { subtotal, discount, tax = null, total, grand_total: grossMinor } = details.totals;
  const customer = transactionHints(transaction);
  const discountCodes = distinct([discountId]);
  const paidAt = capturedAt(transaction) ?? occurredAt;
  if (grossMinor <= 0) {
    const what = `${id} charged nothing${origin === null ? '' : ` (${origin})`}`;
    return facts([identifiedFact(customer, paidAt, discountCodes), { kind: 'noted', what }]);
  }
  const beforeTax = subtotal - discount;
  // for somebody who pays no tax any more, the credit for unused time may give back more of it than is due
  const isTaxCredited = tax !== null && tax < 0 && beforeTax + tax === total;
  if (beforeTax < 0 || (beforeTax > total && !isTaxCredited) || grossMinor > total) {
    const reason = `The totals of ${id} contradict each other: ${beforeTax} before tax, ${total} in all, ${grossMinor} to pay`;
    return unknown(reason);
  }
  const netMinor = multiplyRatio(Math.min(beforeTax, total), grossMinor, total);
  return facts([
    {
      kind: 'payment.received',
      references: distinct([id, invoiceId]),
      invoiceId: id,
      grossMinor,
      netMinor,
      taxMinor: grossMinor - netMinor,
      shippingMinor: 0,
      currency: transaction.currency_code,
      presentment: null,
      // The origin of every later payment has the same prefix: subscription_recurring, _update, _charge.
      recurring: origin?.startsWith('subscription_') ?? false,
      customer,
      discountCodes,
      occurredAt: paidAt,
    },
  ]);
}

/** Both events of a payment contain the same time, so their order does not matter. Wire transfers have no such time. */
export function capturedAt({ payments }: Pick<Transaction, 'payments'>): number | null {
  const times = payments.flatMap(({ status, captured_at: time }) => (status === 'captured' && time ? time : []));
  return times.length === 0 ? null : Math.max(...times);
}
