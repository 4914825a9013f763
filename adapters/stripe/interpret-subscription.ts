import { ignored } from '../contract/interpretations.ts';
import { customerHints, identified } from './customer-hints.ts';
import { discountCodesOf } from './discount-codes.ts';
import { about, factsOrReason } from './event.ts';
import { customerSchema, discountSchema, type Subscription, subscriptionSchema } from './payload.ts';

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
  return ignored(`Customer ${customer.id} has neither an e-mail address nor metadata of ours`);
});

/** `customer.discount.created`, `.updated`: the only events that say which code a webhook's `di_…` stands for. */
export const discountGiven = about(discountSchema, (discount, event) => {
  const hints = customerHints({ ...discount, metadata: [], emails: [], names: [] });
  const facts = identified(hints, event.occurredAt, discountCodesOf(discount));
  if (facts.length > 0) return { kind: 'facts', facts };
  return ignored(`${event.type} names no customer, or no code`);
});

/**
 * `customer.subscription.*`: the customer's identity, with the codes of its discounts where an endpoint's version expands
 * them, and a note of the change, such as a cancellation.
 */
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
  const codes = discountCodesOf(subscription.discounts, subscription.discount);
  return factsOrReason(identified(hints, event.occurredAt, codes), reason);
});

function changeOf(eventType: string, subscription: Subscription): string {
  if (eventType === 'customer.subscription.created') return 'started';
  if (eventType === 'customer.subscription.deleted') return 'ended';
  const isEnding = subscription.cancel_at_period_end === true || typeof subscription.cancel_at === 'number';
  return isEnding ? 'will end' : 'changed';
}
