import type { z } from 'zod';
import type { Fact, Interpretation } from '../../src/core/facts.ts';
import type { adjustmentSchema } from './payload.ts';

type Effect = 'refunded' | 'refund undone' | 'open' | 'won' | 'lost' | 'noted';

/**
 * Maps every action and status of an adjustment to its effect. Credit moves no money out; a warning has not yet moved
 * any. Paddle reports a reversed chargeback twice: as status `reversed` and as a separate adjustment.
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

/** An adjustment names its transaction but not the customer. Its total includes tax, like the payment's gross. */
export function interpretAdjustment(adjustment: z.output<typeof adjustmentSchema>, occurredAt: number): Interpretation {
  const { id, action, status, transaction_id: transactionId, currency_code: currency } = adjustment;
  const what = `${id}, ${action} of ${transactionId}, is ${status}`;
  const effect = EFFECTS.get(`${action} ${status}`);
  if (effect === undefined) return { kind: 'unknown', reason: `Nobody described this adjustment: ${what}` };
  const amountMinor = Math.abs(adjustment.totals.total);
  if (effect === 'noted' || amountMinor === 0) return { kind: 'facts', facts: [{ kind: 'noted', what }] };
  return { kind: 'facts', facts: [factOf(effect, { id, transactionId, amountMinor, currency, occurredAt })] };
}

/** The parts of an adjustment that its fact contains. */
interface Adjusted {
  id: string;
  transactionId: string;
  amountMinor: number;
  currency: string;
  occurredAt: number;
}

function factOf(effect: Exclude<Effect, 'noted'>, { id, transactionId, amountMinor, ...moment }: Adjusted): Fact {
  const payment = { references: [transactionId], ...moment };
  if (effect === 'refunded') return { kind: 'payment.refunded', ...payment, refund: { refundId: id, amountMinor } };
  if (effect === 'refund undone') return { kind: 'payment.refund_undone', ...payment, refundId: id, amountMinor };
  // A chargeback and its reverse are two adjustments that share only the transaction.
  return { kind: 'payment.disputed', ...payment, disputeId: transactionId, amountMinor, state: effect };
}
