import { customerHints, identified } from './customer-hints.ts';
import { about, factsOrReason } from './event.ts';
import { customerSchema, type Subscription, subscriptionSchema } from './payload.ts';

/** `customer.created`, `customer.updated`: the only events that carry a customer's metadata. */
export const customerChanged = about(customerSchema, (customer, event) => {
  const hints = customerHints({
    customer: customer.id,
    customer_account: null,
    metadata: [{ place: 'customer.metadata', metadata: customer.metadata }],
    emails: [customer.email],
    names: [customer.name],
  });
  const facts = identified(hints, event.occurredAt);
  if (facts.length > 0) return { kind: 'facts', facts };
  return { kind: 'ignored', reason: `Customer ${customer.id} has neither an e-mail address nor metadata of ours` };
});

/** `customer.subscription.*`: the customer's identity and a note of the change, such as a cancellation. */
export const subscriptionChanged = about(subscriptionSchema, (subscription, event) => {
  const hints = customerHints({
    customer: subscription.customer,
    customer_account: subscription.customer_account,
    subscription: subscription.id,
    metadata: [{ place: 'subscription.metadata', metadata: subscription.metadata }],
    emails: [],
    names: [],
  });
  const reason = `Subscription ${subscription.id} ${changeOf(event.type, subscription)}`;
  return factsOrReason(identified(hints, event.occurredAt), reason);
});

function changeOf(eventType: string, subscription: Subscription): string {
  if (eventType === 'customer.subscription.created') return 'started';
  if (eventType === 'customer.subscription.deleted') return 'ended';
  const isEnding = subscription.cancel_at_period_end === true || typeof subscription.cancel_at === 'number';
  return isEnding ? 'will end' : 'changed';
}
