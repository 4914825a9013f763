import { facts, ignored, noted, unknown } from '../contract/interpretations.ts';
import { distinct } from '../contract/readers.ts';
import { about, quoted } from './event.ts';
import { moneyOf } from './money.ts';
import { refundSchema } from './payload.ts';

/**
 * `refund.created`, `refund.updated`, `refund.failed` and the older `charge.refund.updated`: one refund, by status
 * - `succeeded`: the customer got the money back
 * - `pending`, `requires_action`: a note; another event follows
 * - `failed`, `canceled`: the merchant kept the money or got it back
 */
export const refundChanged = about(refundSchema, (refund, event) => {
  const [chargeId, ...others] = distinct([refund.payment_intent, refund.charge]);
  if (chargeId === undefined) {
    return ignored(`Refund ${refund.id} belongs to no payment: it returned a customer balance`);
  }
  const money = moneyOf(refund.amount, refund.currency);
  if ('problem' in money) return unknown(`${event.type}: ${money.problem}`);
  const { amountMinor, unit } = money;
  const shared = {
    references: [chargeId, ...others],
    currency: unit.currency,
    occurredAt: event.occurredAt,
    ...(refund.created == null ? {} : { madeAt: refund.created * 1000 }),
  };
  if (event.type === 'refund.failed' && refund.status === 'succeeded') {
    return unknown(
      `${event.type}: refund ${quoted(refund.id)} has the status "succeeded", which contradicts the event`,
    );
  }
  switch (refund.status) {
    case 'succeeded':
      return facts([{ kind: 'payment.refunded', refund: { refundId: refund.id, amountMinor, chargeId }, ...shared }]);
    case 'failed':
    case 'canceled':
      return facts([{ kind: 'payment.refund_undone', refundId: refund.id, amountMinor, chargeId, ...shared }]);
    case 'pending':
    case 'requires_action':
      return noted(`Refund ${refund.id} is ${refund.status}`);
    default:
      return unknown(`${event.type}: the refund status ${quoted(refund.status)} is not known`);
  }
});
