import type { Interpretation, PaymentDisputed } from '../../src/core/facts.ts';
import { identifiedFact } from '../contract/identified.ts';
import { facts, noted, unknown } from '../contract/interpretations.ts';
import { distinct } from '../contract/readers.ts';
import { paymentHints } from './customer-hints.ts';
import type { Part, Payment } from './payload.ts';

/** Covers every dispute status; an inquiry moves no money. */
const STATE_OF_DISPUTE: ReadonlyMap<string, PaymentDisputed['state'] | 'inquiry'> = new Map([
  ['inquiry', 'inquiry'],
  ['open', 'open'],
  ['won', 'won'],
  ['lost', 'lost'],
]);

// TEMPLATE: use as the invoice id the strongest id that every event of a payment can name, and the payment's other ids
// as references. Gross is the total paid; net excludes tax and shipping.
/** `payment.paid`: a sale, first payment or renewal. When nothing is charged (a trial): identity, with the code, and a note. */
export function interpretPayment(payment: Payment, occurredAt: number): Interpretation {
  const { id, total, tax, currency, is_renewal: recurring, discount_code: code } = payment;
  const customer = paymentHints(payment);
  if (total === 0) {
    const what = `payment ${id} charged nothing`;
    return facts([identifiedFact(customer, occurredAt, distinct([code])), { kind: 'noted', what }]);
  }
  return facts([
    {
      kind: 'payment.received',
      references: [id],
      invoiceId: id,
      grossMinor: total,
      netMinor: total - tax,
      taxMinor: tax,
      shippingMinor: 0,
      currency,
      presentment: null,
      recurring,
      customer,
      discountCodes: distinct([code]),
      occurredAt,
    },
  ]);
}

// TEMPLATE: if a refund says how much of it is for goods, without tax and shipping, add that as commissionableMinor.
/** By status: succeeded → refunded; failed → undone; pending → noted; anything else → unknown. */
export function interpretRefund(refund: Part, occurredAt: number): Interpretation {
  const { id: refundId, payment_id: paymentId, status, currency, amount: amountMinor } = refund;
  const payment = { references: [paymentId], currency, occurredAt };
  switch (status) {
    case 'succeeded':
      return facts([{ kind: 'payment.refunded', ...payment, refund: { refundId, amountMinor } }]);
    case 'failed':
      return facts([{ kind: 'payment.refund_undone', ...payment, refundId, amountMinor }]);
    case 'pending':
      return noted(`refund ${refundId} of ${paymentId} is pending`);
    default:
      return unknown(`Unknown status ${status} of refund ${refundId}`);
  }
}

export function interpretDispute(dispute: Part, occurredAt: number): Interpretation {
  const { id: disputeId, payment_id: paymentId, status, currency, amount: amountMinor } = dispute;
  const state = STATE_OF_DISPUTE.get(status);
  if (state === undefined) {
    return unknown(`Unknown status ${status} of dispute ${disputeId}`);
  }
  if (state === 'inquiry') return noted(`inquiry ${disputeId} of ${paymentId} moved no money`);
  return facts([
    { kind: 'payment.disputed', references: [paymentId], currency, occurredAt, disputeId, amountMinor, state },
  ]);
}
