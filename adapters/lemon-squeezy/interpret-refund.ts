import type { Interpretation } from '../../src/core/facts.ts';
import { notAsDescribed } from '../contract/interpret-as.ts';
import { facts, noted } from '../contract/interpretations.ts';
import { isInMinorUnits, unitUnknown } from './money.ts';
import type { Invoice, Order } from './payload.ts';

/**
 * The total refunded on an order or invoice so far, including tax. Lemon Squeezy does not identify single refunds, and
 * reports a payment's refunds through both its order and its invoice; the larger total counts.
 *
 * @param what names the object in notes, such as `order 12`
 */
export function interpretRefunded(
  what: string,
  event: string,
  paid: Order | Invoice,
  references: string[],
): Interpretation {
  const { currency, updated_at: updatedAt, refunded_at: refundedAt } = paid;
  const cumulativeAmountMinor = refundedAmountOf(paid);
  if (cumulativeAmountMinor === null) return notAsDescribed(event, ['it does not say how much was refunded']);
  if (cumulativeAmountMinor === 0) {
    return noted(`nothing of ${what} is refunded`);
  }
  if (!isInMinorUnits(paid.total, paid.total_formatted, currency)) return unitUnknown(event, currency);
  return facts([
    {
      kind: 'payment.refunded',
      references,
      refund: { cumulativeAmountMinor },
      currency,
      occurredAt: refundedAt ?? updatedAt,
    },
  ]);
}

/** Older payloads have no refunded amount and only say that the payment was fully refunded. */
function refundedAmountOf({ refunded_amount: amount, refunded, status, total }: Order | Invoice): number | null {
  if (typeof amount === 'number' && amount > 0) return amount;
  if (refunded === true || status === 'refunded') return total;
  return amount ?? null;
}
