import type { Fact, Interpretation } from '../../src/core/facts.ts';
import { identifiedFact } from '../contract/identified.ts';
import { personHints } from './customer-hints.ts';
import type { Subscription } from './payload.ts';
import { referenceOf } from './references.ts';

/**
 * `subscription_…`: the customer's identity, and a link from the subscription's first payment to its order.
 *
 * @param note follows the subscription's id in a note; null for no note
 */
export function interpretSubscription(
  id: string,
  subscription: Subscription,
  customData: unknown,
  note: string | null,
): Interpretation {
  const { order_id: orderId, updated_at: occurredAt } = subscription;
  const facts: Fact[] = [identifiedFact(personHints(subscription, id, customData), occurredAt)];
  if (orderId !== null) {
    facts.push({ kind: 'payment.referenced', references: [referenceOf.order(orderId), referenceOf.firstOf(id)] });
  }
  if (note !== null) facts.push({ kind: 'noted', what: `subscription ${id} ${note}` });
  return { kind: 'facts', facts };
}
