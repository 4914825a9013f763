import type { IncomingHttpHeaders } from 'node:http';
import type { Interpretation } from '../../src/core/facts.ts';
import type { SignedDelivery } from '../contract/adapter.ts';
import { identifiedFact } from '../contract/identified.ts';
import { interpretAs } from '../contract/interpret-as.ts';
import { facts, ignored, unknown } from '../contract/interpretations.ts';
import { customerHints } from './customer-hints.ts';
import { interpretDispute, interpretPayment, interpretRefund } from './interpret-payment.ts';
import { customerSchema, type Event, eventSchema, partSchema, paymentSchema } from './payload.ts';
import type { Settings } from './settings.ts';

/** Types that Template documents but that concern neither money nor customers. */
const IGNORED_TYPES: ReadonlySet<string> = new Set(['product.created', 'product.updated']);

// TEMPLATE: decide what each event type becomes. An undocumented type is unknown; never give it a default.
/**
 * `payment.paid` → a payment; with nothing charged, identity and a note
 * `refund.updated`, `dispute.updated` → depends on the status
 * `customer.updated` → identity
 * any other type that Template documents → ignored; everything else → unknown
 */
export function interpret(
  { payload }: SignedDelivery,
  _headers: IncomingHttpHeaders,
  { acceptTestEvents }: Settings,
): Interpretation {
  return interpretAs('The body', eventSchema, payload, (event) => {
    if (event.live || acceptTestEvents) return interpretEvent(event);
    return ignored('A test event; the endpoint does not accept them (acceptTestEvents)');
  });
}

function interpretEvent({ type, created_at: occurredAt, data }: Event): Interpretation {
  switch (type) {
    case 'payment.paid':
      return interpretAs(type, paymentSchema, data, (payment) => interpretPayment(payment, occurredAt));
    case 'refund.updated':
      return interpretAs(type, partSchema, data, (refund) => interpretRefund(refund, occurredAt));
    case 'dispute.updated':
      return interpretAs(type, partSchema, data, (dispute) => interpretDispute(dispute, occurredAt));
    case 'customer.updated':
      return interpretAs(type, customerSchema, data, (customer) =>
        facts([identifiedFact(customerHints(customer), occurredAt)]),
      );
    default:
      if (IGNORED_TYPES.has(type)) return ignored(`${type} moves no money and identifies nobody`);
      return unknown(`Unknown event type ${type}`);
  }
}
