import type { Interpretation } from '../../src/core/facts.ts';
import { identifiedFact } from '../contract/identified.ts';
import { facts, unknown } from '../contract/interpretations.ts';
import { personHints } from './customer-hints.ts';
import { interpretRefunded } from './interpret-refund.ts';
import { isInMinorUnits, unitUnknown } from './money.ts';
import type { Order } from './payload.ts';
import { referenceOf } from './references.ts';

/** Every order status; `order_refunded` reports refunds separately. */
const MONEY_BY_STATUS: ReadonlyMap<string, 'received' | 'not received'> = new Map([
  ['paid', 'received'],
  ['partial_refund', 'received'],
  ['refunded', 'received'],
  ['pending', 'not received'],
  ['failed', 'not received'],
  ['fraudulent', 'not received'],
]);

/**
 * `order_created`: a sale, even if the order starts a subscription. The invoice of that payment has the same amounts
 * and names no order, so the order counts and the invoice is linked to it. If nothing was charged (a trial, a discount
 * of 100 %) or the order is not paid: identity and a note. The payload has the discount amount but no discount codes.
 */
export function interpretCreatedOrder(id: string, order: Order, customData: unknown): Interpretation {
  const { identifier, status, currency, total, tax, total_formatted: formatted, created_at: occurredAt } = order;
  const money = MONEY_BY_STATUS.get(status);
  if (money === undefined) return unknown(`Unknown status ${status} of order ${id}`);
  const customer = personHints(order, null, customData);
  if (money === 'not received' || total === 0) {
    const what = money === 'received' ? `order ${id} charged nothing` : `order ${id} is not paid (${status})`;
    return facts([identifiedFact(customer, occurredAt), { kind: 'noted', what }]);
  }
  if (!isInMinorUnits(total, formatted, currency)) return unitUnknown('order_created', currency);
  return facts([
    {
      kind: 'payment.received',
      references: [identifier, referenceOf.order(id)],
      invoiceId: identifier,
      grossMinor: total,
      netMinor: total - tax,
      taxMinor: tax,
      shippingMinor: 0,
      currency,
      presentment: null,
      recurring: false,
      customer,
      discountCodes: [],
      occurredAt,
    },
  ]);
}

/** `order_refunded`: the total refunded on the order so far. */
export function interpretRefundedOrder(id: string, order: Order): Interpretation {
  return interpretRefunded(`order ${id}`, 'order_refunded', order, [order.identifier, referenceOf.order(id)]);
}
