import type { IncomingHttpHeaders } from 'node:http';
import type { Interpretation } from '../../src/core/facts.ts';
import type { SignedDelivery } from '../contract/adapter.ts';
import { interpretAs, notAsDescribed } from '../contract/interpret-as.ts';
import { facts, ignored, unknown } from '../contract/interpretations.ts';
import { customerHints, identified, subscriptionHints } from './customer-hints.ts';
import { interpretOtherOrder, interpretPaidOrder, interpretRefundedOrder } from './interpret-order.ts';
import { interpretRefund } from './interpret-refund.ts';
import {
  customerSchema,
  eventSchema,
  orderSchema,
  paidOrderSchema,
  refundedOrderSchema,
  refundSchema,
  subscriptionSchema,
} from './payload.ts';

/** The note for each subscription event; null when the event only identifies the customer. */
const SUBSCRIPTION_NOTES: ReadonlyMap<string, string | null> = new Map([
  ['subscription.active', null],
  ['subscription.canceled', 'was canceled and may run to the end of its period'],
  ['subscription.created', null],
  ['subscription.cycled', null],
  ['subscription.migrated', null],
  ['subscription.past_due', 'is past due'],
  ['subscription.paused', 'was paused'],
  ['subscription.resumed', 'was resumed'],
  ['subscription.revoked', 'has ended'],
  ['subscription.uncanceled', 'is no longer canceled'],
  ['subscription.updated', null],
]);

/** Types that Polar documents but that carry neither money nor identity. */
const IGNORED_TYPES: ReadonlySet<string> = new Set([
  'benefit.created',
  'benefit.updated',
  'benefit_grant.created',
  'benefit_grant.cycled',
  'benefit_grant.revoked',
  'benefit_grant.updated',
  'checkout.created',
  'checkout.expired',
  'checkout.updated',
  'customer.deleted',
  'customer_seat.assigned',
  'customer_seat.claimed',
  'customer_seat.revoked',
  'discount.created',
  'discount.deleted',
  'discount.updated',
  'member.created',
  'member.deleted',
  'member.updated',
  'organization.updated',
  'product.created',
  'product.updated',
]);

/**
 * `order.paid` → a payment; if nothing was charged, identity and a note
 * `order.created`, `order.updated` → identity and a note
 * `order.refunded` → the cumulative refund; `refund.created`, `refund.updated` → one refund, by its status
 * `customer.*`, `subscription.*` → identity; some subscription events also add a note
 * any other documented type → ignored; any undocumented type → unknown
 */
export function interpret({ payload }: SignedDelivery, headers: IncomingHttpHeaders): Interpretation {
  return interpretAs('The body', eventSchema, payload, ({ type, timestamp, data }) => {
    const occurredAt = timestamp ?? sentAt(headers);
    if (occurredAt === null) return notAsDescribed('The body', ['timestamp: must be an ISO 8601 time']);
    return interpretEvent({ type, timestamp: occurredAt, data });
  });
}

/** Events once had no timestamp. The header with the time of the delivery is signed and stored. */
function sentAt({ 'webhook-timestamp': seconds }: IncomingHttpHeaders): number | null {
  return typeof seconds === 'string' && /^\d{1,12}$/.test(seconds) ? Number(seconds) * 1000 : null;
}

function interpretEvent({ type, timestamp, data }: { type: string; timestamp: number; data: unknown }): Interpretation {
  switch (type) {
    case 'order.paid':
      return interpretAs(type, paidOrderSchema, data, (order) => interpretPaidOrder(order, timestamp));
    case 'order.created':
    case 'order.updated':
      return interpretAs(type, orderSchema, data, (order) => interpretOtherOrder(order, timestamp));
    case 'order.refunded':
      return interpretAs(type, refundedOrderSchema, data, (order) => interpretRefundedOrder(order, timestamp));
    case 'refund.created':
    case 'refund.updated':
      return interpretAs(type, refundSchema, data, (refund) => interpretRefund(refund, timestamp));
    case 'customer.created':
    case 'customer.updated':
    case 'customer.state_changed':
      return interpretAs(type, customerSchema, data, (customer) =>
        facts([identified(customerHints(customer), timestamp)]),
      );
    default:
      return interpretOther(type, data, timestamp);
  }
}

function interpretOther(type: string, data: unknown, timestamp: number): Interpretation {
  const note = SUBSCRIPTION_NOTES.get(type);
  if (note !== undefined) {
    return interpretAs(type, subscriptionSchema, data, (subscription) => {
      const identity = identified(subscriptionHints(subscription), timestamp, subscription.discount);
      return facts(
        note === null ? [identity] : [identity, { kind: 'noted', what: `subscription ${subscription.id} ${note}` }],
      );
    });
  }
  if (IGNORED_TYPES.has(type)) return ignored(`${type} moves no money and identifies nobody`);
  return unknown(`Unknown event type ${type}`);
}
