import type { IncomingHttpHeaders } from 'node:http';
import type { Interpretation } from '../../src/core/facts.ts';
import type { SignedDelivery } from '../contract/adapter.ts';
import { interpretAs } from '../contract/interpret-as.ts';
import { ignored, unknown } from '../contract/interpretations.ts';
import { interpretFailedInvoice, interpretPaidInvoice, interpretRefundedInvoice } from './interpret-invoice.ts';
import { interpretCreatedOrder, interpretRefundedOrder } from './interpret-order.ts';
import { interpretSubscription } from './interpret-subscription.ts';
import { type Delivery, deliverySchema, invoiceSchema, orderSchema, subscriptionSchema } from './payload.ts';
import type { Settings } from './settings.ts';

/** The note for each subscription event; null for events that need none. */
const SUBSCRIPTION_NOTES: ReadonlyMap<string, string | null> = new Map([
  ['subscription_created', null],
  ['subscription_updated', null],
  ['subscription_plan_changed', 'changed its plan; an invoice reports the money, if any'],
  ['subscription_cancelled', 'was cancelled and runs to the end of its period'],
  ['subscription_resumed', 'was resumed'],
  ['subscription_expired', 'has ended'],
  ['subscription_paused', 'was paused'],
  ['subscription_unpaused', 'is no longer paused'],
]);

/** Events that Lemon Squeezy documents and that concern no payment. */
const IGNORED_EVENTS: ReadonlySet<string> = new Set([
  'affiliate_activated',
  'license_key_created',
  'license_key_updated',
]);

/**
 * `order_created` → a payment: a purchase or the first payment of a subscription
 * `subscription_payment_success`, `subscription_payment_recovered` → a payment, the same one for both events; a
 *   subscription's first invoice is linked to its order's payment instead
 * `order_refunded`, `subscription_payment_refunded` → the total refunded so far
 * `subscription_payment_failed`, `subscription_…` → identity and a note
 * `license_key_…`, `affiliate_activated` → ignored; any other → unknown
 *
 * Source: https://docs.lemonsqueezy.com/help/webhooks/event-types
 */
export function interpret(
  { payload }: SignedDelivery,
  _headers: IncomingHttpHeaders,
  { acceptTestEvents }: Settings,
): Interpretation {
  return interpretAs('The body', deliverySchema, payload, (delivery) => {
    const { meta, data } = delivery;
    if ((meta.test_mode || data.attributes.test_mode) && !acceptTestEvents) {
      return ignored('An event of the test mode; the endpoint does not accept them (acceptTestEvents)');
    }
    return interpretDelivery(delivery);
  });
}

function interpretDelivery({ meta, data: { id, attributes } }: Delivery): Interpretation {
  const { event_name: event, custom_data: customData } = meta;
  switch (event) {
    case 'order_created':
      return interpretAs(event, orderSchema, attributes, (order) => interpretCreatedOrder(id, order, customData));
    case 'order_refunded':
      return interpretAs(event, orderSchema, attributes, (order) => interpretRefundedOrder(id, order));
    case 'subscription_payment_success':
    case 'subscription_payment_recovered':
      return interpretAs(event, invoiceSchema, attributes, (invoice) => interpretPaidInvoice(id, invoice, customData));
    case 'subscription_payment_refunded':
      return interpretAs(event, invoiceSchema, attributes, (invoice) => interpretRefundedInvoice(id, invoice));
    case 'subscription_payment_failed':
      return interpretAs(event, invoiceSchema, attributes, (invoice) =>
        interpretFailedInvoice(id, invoice, customData),
      );
    default:
      return interpretOther(event, id, attributes, customData);
  }
}

function interpretOther(event: string, id: string, attributes: unknown, customData: unknown): Interpretation {
  const note = SUBSCRIPTION_NOTES.get(event);
  if (note !== undefined) {
    return interpretAs(event, subscriptionSchema, attributes, (subscription) =>
      interpretSubscription(id, subscription, customData, note),
    );
  }
  if (IGNORED_EVENTS.has(event)) return ignored(`${event} moves no money`);
  return unknown(`Unknown event ${event}`);
}
