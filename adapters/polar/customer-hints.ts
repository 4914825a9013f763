import type { z } from 'zod';
import type { CustomerHints, Fact, Hint } from '../../src/core/facts.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { identifiedFact } from '../contract/identified.ts';
import { distinct, hintsIn, type MetadataPlace, NO_HINTS, readMetadata } from '../contract/readers.ts';
import type { discountSchema, orderSchema, personSchema, subscriptionSchema } from './payload.ts';

type Person = z.output<typeof personSchema>;

/** Follows the order in which Polar copies metadata: order, subscription, customer, then the customer's external id. */
export function orderHints(order: z.output<typeof orderSchema>): CustomerHints {
  const places = [
    { place: 'order.metadata', metadata: order.metadata },
    { place: 'order.subscription.metadata', metadata: order.subscription?.metadata },
  ];
  const checkedOutAt = order.subscription?.created_at ?? order.created_at;
  return {
    ...personHints(places, 'order.customer', order.customer, checkedOutAt),
    processorCustomerId: order.customer_id ?? order.customer?.id ?? null,
    subscriptionId: order.subscription_id,
  };
}

/** `subscription.*`: reads the subscription's metadata, then its customer's. */
export function subscriptionHints(subscription: z.output<typeof subscriptionSchema>): CustomerHints {
  const places = [{ place: 'subscription.metadata', metadata: subscription.metadata }];
  return {
    ...personHints(places, 'subscription.customer', subscription.customer, subscription.created_at),
    processorCustomerId: subscription.customer_id ?? subscription.customer?.id ?? null,
    subscriptionId: subscription.id,
  };
}

/** `customer.*`: reads only the customer. */
export function customerHints(customer: Person): CustomerHints {
  return { ...personHints([], 'customer', customer, null), processorCustomerId: customer.id };
}

export function identified(customer: CustomerHints, occurredAt: number, discount?: Discount): Fact {
  return identifiedFact(customer, occurredAt, discountCodesOf(discount));
}

type Discount = z.output<typeof discountSchema>;

/** The code that the customer typed, then the discount's id. */
export function discountCodesOf(discount: Discount | undefined): string[] {
  return distinct([discount?.code, discount?.id]);
}

/**
 * Polar stores the parameter `reference_id` of a checkout link in the metadata. Merchants put anything into it; only a value
 * that starts with `clk_` is a click id.
 *
 * Source: https://polar.sh/docs/features/checkout/links
 */
function referencedClicks(places: readonly MetadataPlace[]): Hint[] {
  return hintsIn(places, 'reference_id').filter(({ value }) => value.startsWith('clk_'));
}

/**
 * True for a customer whom Polar had before the checkout. The buyer chooses the parameters of a checkout link, and Polar takes
 * a buyer for the customer with the same address: with an address alone, a partner could claim a customer whom nobody brought.
 */
function wasKnownAt(checkedOutAt: Time, person: Person | null | undefined): boolean {
  const createdAt = person?.created_at;
  return createdAt != null && checkedOutAt != null && createdAt < checkedOutAt - DAY_MS;
}

/** Epoch milliseconds; older payloads may lack them. */
type Time = number | null | undefined;

function personHints(
  places: MetadataPlace[],
  place: string,
  person: Person | null | undefined,
  checkedOutAt: Time,
): CustomerHints {
  const ofPerson = { place: `${place}.metadata`, metadata: person?.metadata };
  const { externalIds, clickIds } = readMetadata([...places, ofPerson]);
  const own = person?.external_id ?? null;
  const isNew = own !== null && !externalIds.some(({ value }) => value === own);
  return {
    ...NO_HINTS,
    externalIds: isNew ? [...externalIds, { value: own, place: `${place}.external_id` }] : externalIds,
    clickIds: wasKnownAt(checkedOutAt, person) ? clickIds : [...clickIds, ...referencedClicks(places)],
    email: person?.email ?? null,
    name: person?.name ?? null,
  };
}
