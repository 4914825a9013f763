import type { z } from 'zod';
import type { DisputeState, Fact, Interpretation } from '../../src/core/facts.ts';
import { facts, noted, unknown } from '../contract/interpretations.ts';
import type { adjustmentSchema } from './payload.ts';

type Effect = 'refunded' | 'refund undone' | DisputeState | 'rejected' | 'noted';

/**
 * Maps every action and status of an adjustment to its effect. Credit moves no money out, and a warning has not moved
 * any yet. Paddle reports a reversed chargeback twice: as status `reversed`, and as a separate adjustment that names
 * only the transaction and reverses its own amount.
 *
 * Source: https://developer.paddle.com/api-reference/adjustments
 */
const EFFECTS: ReadonlyMap<string, Effect> = new Map([
  ['refund pending_approval', 'noted'],
  ['refund approved', 'refunded'],
  ['refund rejected', 'refund undone'],
  ['refund reversed', 'refund undone'],
  ['chargeback pending_approval', 'open'],
  ['chargeback approved', 'lost'],
  ['chargeback rejected', 'rejected'],
  ['chargeback reversed', 'won'],
  ['chargeback_reverse pending_approval', 'noted'],
  ['chargeback_reverse approved', 'returned'],
  ['chargeback_reverse rejected', 'noted'],
  ['chargeback_reverse reversed', 'rejected'],
  ...['chargeback_warning', 'chargeback_warning_reverse', 'credit', 'credit_reverse'].flatMap((action) =>
    ['pending_approval', 'approved', 'rejected', 'reversed'].map((status): [string, Effect] => [
      `${action} ${status}`,
      'noted',
    ]),
  ),
]);

/** An adjustment names its transaction but not the customer. Its total includes tax, like the payment's gross. */
export function interpretAdjustment(adjustment: z.output<typeof adjustmentSchema>, occurredAt: number): Interpretation {
  const { id, action, status, transaction_id: transactionId } = adjustment;
  const what = `${id}, ${action} of ${transactionId}, is ${status}`;
  const effect = EFFECTS.get(`${action} ${status}`);
  if (effect === undefined) return unknown(`Unknown adjustment: ${what}`);
  if (effect === 'noted' || adjustment.totals.total === 0) return noted(what);
  return facts([factOf(effect, adjustment, occurredAt)]);
}

function factOf(
  effect: Exclude<Effect, 'noted'>,
  { id, action, transaction_id: transactionId, currency_code: currency, ...rest }: z.output<typeof adjustmentSchema>,
  occurredAt: number,
): Fact {
  const { totals, created_at: createdAt } = rest;
  const amountMinor = Math.abs(totals.total);
  const payment = { references: [transactionId], currency, occurredAt };
  const made = createdAt == null ? {} : { madeAt: createdAt };
  switch (effect) {
    case 'refunded': {
      const part = typeof totals.subtotal === 'number' ? Math.min(Math.abs(totals.subtotal), amountMinor) : null;
      const refund = { refundId: id, amountMinor, ...(part === null ? {} : { commissionableMinor: part }) };
      return { kind: 'payment.refunded', ...payment, ...made, refund };
    }
    case 'refund undone':
      return { kind: 'payment.refund_undone', ...payment, ...made, refundId: id, amountMinor };
    case 'rejected': {
      // it moved nothing in the end, so a later reversal must belong to another dispute
      const state = action === 'chargeback' ? 'won' : 'returned';
      return { kind: 'payment.disputed', ...payment, disputeId: id, amountMinor: 0, state };
    }
    case 'returned':
      return { kind: 'payment.disputed', ...payment, disputeId: id, amountMinor, state: effect };
    default:
      // earlier versions stored all disputes of a transaction under the transaction's id
      return {
        kind: 'payment.disputed',
        ...payment,
        disputeId: id,
        amountMinor,
        state: effect,
        earlierId: transactionId,
        ...(createdAt == null ? {} : { openedAt: createdAt }),
      };
  }
}
