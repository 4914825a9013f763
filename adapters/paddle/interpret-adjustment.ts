import type { z } from 'zod';
import type { Fact, Interpretation } from '../../src/core/facts.ts';
import type { adjustmentSchema } from './payload.ts';

type Effect = 'refunded' | 'refund undone' | 'open' | 'won' | 'lost' | 'noted';

/**
 * Every action and status of an adjustment, and what it does. Credit moves no money out, a warning none yet; a reversed
 * chargeback comes both as `reversed` and as an adjustment of its own.
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
  ['chargeback rejected', 'won'],
  ['chargeback reversed', 'won'],
  ['chargeback_reverse pending_approval', 'noted'],
  ['chargeback_reverse approved', 'won'],
  ['chargeback_reverse rejected', 'noted'],
  ['chargeback_reverse reversed', 'lost'],
  ...['chargeback_warning', 'chargeback_warning_reverse', 'credit', 'credit_reverse'].flatMap((action) =>
    ['pending_approval', 'approved', 'rejected', 'reversed'].map((status): [string, Effect] => [
      `${action} ${status}`,
      'noted',
    ]),
  ),
]);

/** An adjustment names its transaction and nothing of the customer. Its total includes tax, as the payment's gross. */
export function interpretAdjustment(adjustment: z.output<typeof adjustmentSchema>, occurredAt: number): Interpretation {
  const { id, action, status, transaction_id: transactionId, currency_code: currency } = adjustment;
  const what = `${id}, ${action} of ${transactionId}, is ${status}`;
  const effect = EFFECTS.get(`${action} ${status}`);
  if (effect === undefined) return { kind: 'unknown', reason: `Nobody described this adjustment: ${what}` };
  const amountMinor = Math.abs(adjustment.totals.total);
  if (effect === 'noted' || amountMinor === 0) return { kind: 'facts', facts: [{ kind: 'noted', what }] };
  const payment = { references: [transactionId], currency, occurredAt };
  return { kind: 'facts', facts: [factOf(effect, id, transactionId, amountMinor, payment)] };
}

function factOf(
  effect: Exclude<Effect, 'noted'>,
  adjustmentId: string,
  transactionId: string,
  amountMinor: number,
  payment: { references: string[]; currency: string; occurredAt: number },
): Fact {
  if (effect === 'refunded')
    return { kind: 'payment.refunded', ...payment, refund: { refundId: adjustmentId, amountMinor } };
  if (effect === 'refund undone')
    return { kind: 'payment.refund_undone', ...payment, refundId: adjustmentId, amountMinor };
  // A chargeback and its reverse are two adjustments, and have only the transaction in common.
  return { kind: 'payment.disputed', ...payment, disputeId: transactionId, amountMinor, state: effect };
}
