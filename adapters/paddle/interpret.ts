import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Interpretation } from '../../src/core/facts.ts';
import type { SignedDelivery } from '../contract/adapter.ts';
import { identifiedFact } from '../contract/identified.ts';
import { interpretAs } from '../contract/interpret-as.ts';
import { facts, ignored, unknown } from '../contract/interpretations.ts';
import { distinct } from '../contract/readers.ts';
import { customerHints, subscriptionHints } from './customer-hints.ts';
import { interpretAdjustment } from './interpret-adjustment.ts';
import { interpretTransaction } from './interpret-transaction.ts';
import {
  adjustmentSchema,
  customerSchema,
  notificationSchema,
  subscriptionSchema,
  transactionSchema,
} from './payload.ts';
import type { Settings } from './settings.ts';
import { webhooks } from './webhooks.ts';

/** The dashboard's simulator signs with the destination's real secret; only this prefix marks its events. */
const SIMULATED_EVENT_PREFIX = 'ntfsimevt_';

/**
 * `transaction.completed`, `transaction.paid` → the same payment; with nothing charged, identity and a note
 * `adjustment.*` → refund, refund undone, dispute or a note, by action and status
 * `customer.*`, `subscription.*` → identity; a cancellation is noted
 * any other type that Paddle's package lists → ignored; everything else → unknown
 */
export function interpret(
  { payload }: SignedDelivery,
  _headers: IncomingHttpHeaders,
  { acceptTestEvents }: Settings,
): Interpretation {
  return interpretAs('The body', notificationSchema, payload, (notification) => {
    const { event_id: eventId, event_type: type } = notification;
    if (eventId?.startsWith(SIMULATED_EVENT_PREFIX) && !acceptTestEvents) {
      return ignored(`A simulated ${type}: the endpoint does not accept test events`);
    }
    return interpretNotification(notification);
  });
}

function interpretNotification(notification: z.output<typeof notificationSchema>): Interpretation {
  const { event_type: type, occurred_at: occurredAt, data } = notification;
  if (!webhooks.knownTypes.has(type)) return unknown(`Unknown event type ${type}`);
  if (type === 'transaction.completed' || type === 'transaction.paid') {
    return interpretAs(type, transactionSchema, data, (transaction) => interpretTransaction(transaction, occurredAt));
  }
  switch (type.split('.')[0]) {
    case 'adjustment':
      return interpretAs(type, adjustmentSchema, data, (adjustment) => interpretAdjustment(adjustment, occurredAt));
    case 'customer':
      return interpretAs(type, customerSchema, data, (customer) =>
        facts([identifiedFact(customerHints(customer), occurredAt)]),
      );
    case 'subscription':
      return interpretAs(type, subscriptionSchema, data, (subscription) =>
        interpretSubscription(type, subscription, occurredAt),
      );
    default:
      return ignored(`${type} moves no money and identifies nobody`);
  }
}

function interpretSubscription(
  type: string,
  subscription: z.output<typeof subscriptionSchema>,
  occurredAt: number,
): Interpretation {
  const { id, discount, scheduled_change: change } = subscription;
  const identified = identifiedFact(subscriptionHints(subscription), occurredAt, distinct([discount?.id]));
  if (type === 'subscription.canceled')
    return facts([identified, { kind: 'noted', what: `subscription ${id} was canceled` }]);
  if (change?.action === 'cancel')
    return facts([identified, { kind: 'noted', what: `subscription ${id} is going to be canceled` }]);
  return facts([identified]);
}
