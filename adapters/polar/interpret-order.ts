import type { z } from 'zod';
import type { Interpretation } from '../../src/core/facts.ts';
import { multiplyRatio } from '../../src/core/money.ts';
import { facts, noted, unknown } from '../contract/interpretations.ts';
import { discountCodesOf, identified, orderHints } from './customer-hints.ts';
import { toMinor } from './money.ts';
import type { orderSchema, paidOrderSchema, refundedOrderSchema } from './payload.ts';

/** A paid order may already be refunded by the time Polar builds the payload. */
const PAID_STATUSES: ReadonlySet<string> = new Set(['paid', 'partially_refunded', 'refunded']);

/**
 * `order.paid`, the only order event that counts as a sale.
 *
 * Gross is the total less the credit of the customer's balance (negative); net and tax keep their proportion. A debt
 * (positive) is no part of it: it was left by orders too small to be charged, which Polar reported as paid (`trigger_payment`
 * in polarsource/polar, server/polar/order/service.py). If nothing is sold or paid (a trial, the credit of a downgrade, or all
 * credit), or a debt alone: identity and a note.
 */
export function interpretPaidOrder(order: z.output<typeof paidOrderSchema>, occurredAt: number): Interpretation {
  const { id, status, currency, net_amount: net, total_amount: total, billing_reason: reason } = order;
  const balance = order.applied_balance_amount;
  if (!PAID_STATUSES.has(status)) return unknown(`Order ${id} arrived as paid with the status ${status}`);
  if (Math.abs(net) > Math.abs(total) || net * total < 0) {
    return unknown(`The amounts of order ${id} contradict each other: net ${net}, in all ${total}`);
  }
  const customer = orderHints(order);
  const paid = Math.max(0, total + Math.min(0, balance));
  const grossMinor = toMinor(paid, currency);
  if (grossMinor === 0) {
    const outcome =
      total + balance > 0 ? 'sold nothing: what was paid settles an earlier debt of its customer' : 'charged nothing';
    const what = `order ${id} ${outcome}${reason === null ? '' : ` (${reason})`}`;
    return facts([identified(customer, occurredAt, order.discount), { kind: 'noted', what }]);
  }
  const netMinor = toMinor(multiplyRatio(net, paid, total), currency);
  return facts([
    {
      kind: 'payment.received',
      references: [id],
      invoiceId: id,
      grossMinor,
      netMinor,
      taxMinor: grossMinor - netMinor,
      shippingMinor: 0,
      currency,
      presentment: null,
      recurring: reason !== null && reason !== 'subscription_create' && reason.startsWith('subscription_'),
      customer,
      discountCodes: discountCodesOf(order.discount),
      occurredAt,
    },
  ]);
}

/** `order.created` and `order.updated` never count money, whatever the status; `order.paid` and `order.refunded` do. */
export function interpretOtherOrder(order: z.output<typeof orderSchema>, occurredAt: number): Interpretation {
  const what = `order ${order.id} is ${order.status}: order.paid and order.refunded count`;
  return facts([identified(orderHints(order), occurredAt), { kind: 'noted', what }]);
}

/** `order.refunded`: the cumulative refund, including tax. */
export function interpretRefundedOrder(
  order: z.output<typeof refundedOrderSchema>,
  occurredAt: number,
): Interpretation {
  const { id, currency } = order;
  const cumulativeAmountMinor = toMinor(order.refunded_amount + order.refunded_tax_amount, currency);
  if (cumulativeAmountMinor === 0) {
    return noted(`nothing of order ${id} is refunded`);
  }
  return facts([
    { kind: 'payment.refunded', references: [id], refund: { cumulativeAmountMinor }, currency, occurredAt },
  ]);
}
