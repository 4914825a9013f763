import type { z } from 'zod';
import type { Fact, Interpretation } from '../../src/core/facts.ts';
import { facts, unknown } from '../contract/interpretations.ts';
import { toMinor } from './money.ts';
import type { refundSchema } from './payload.ts';

type Refund = z.output<typeof refundSchema>;

/**
 * One refund. Its amount includes tax, which is not part of the commissionable amount. By status: succeeded → refunded;
 * failed, canceled → undone; pending → noted; any other → unknown.
 *
 * Polar has no dispute events: a dispute appears only in the refund that prevented it. The refund already counts the money,
 * so the dispute is only noted.
 */
export function interpretRefund(refund: Refund, occurredAt: number): Interpretation {
  const { id, order_id: orderId, status } = refund;
  const fact = factOf(refund, occurredAt);
  if (fact === null) {
    return unknown(`Unknown status ${status} of refund ${id} of order ${orderId}`);
  }
  const dispute = disputeOf(refund);
  return facts(dispute === null ? [fact] : [fact, { kind: 'noted', what: dispute }]);
}

function factOf(refund: Refund, occurredAt: number): Fact | null {
  const { id: refundId, order_id: orderId, status, currency, created_at: madeAt } = refund;
  const amountMinor = toMinor(refund.amount + refund.tax_amount, currency);
  const commissionableMinor = Math.min(toMinor(refund.amount, currency), amountMinor);
  const payment = { references: [orderId], currency, occurredAt, ...(madeAt == null ? {} : { madeAt }) };
  switch (status) {
    case 'succeeded':
      if (amountMinor === 0) return { kind: 'noted', what: `refund ${refundId} of order ${orderId} moved no money` };
      return { kind: 'payment.refunded', ...payment, refund: { refundId, amountMinor, commissionableMinor } };
    case 'failed':
    case 'canceled':
      return { kind: 'payment.refund_undone', ...payment, refundId, amountMinor };
    case 'pending':
      return { kind: 'noted', what: `refund ${refundId} of order ${orderId} is pending: it counts once it succeeded` };
    default:
      return null;
  }
}

function disputeOf({ id, reason, dispute }: Refund): string | null {
  if (dispute) return `refund ${id} settles the dispute ${dispute.id ?? ''} (${dispute.status ?? 'no status'})`;
  return reason === 'dispute_prevention' ? `refund ${id} was made to prevent a dispute` : null;
}
