import type { z } from 'zod';
import type { CustomerHints } from '../../src/core/facts.ts';
import { type MetadataPlace, NO_HINTS, readMetadata } from '../contract/readers.ts';
import type { customerSchema, Items, subscriptionSchema, Transaction } from './payload.ts';

/**
 * Finds the transaction's customer. Paddle copies a checkout's metadata to its transaction and to every later
 * transaction of the subscription.
 */
export function transactionHints(transaction: Transaction): CustomerHints {
  return {
    ...NO_HINTS,
    ...readMetadata(metadataPlaces('transaction', transaction)),
    processorCustomerId: transaction.customer_id,
    subscriptionId: transaction.subscription_id,
  };
}

export function subscriptionHints(subscription: z.output<typeof subscriptionSchema>): CustomerHints {
  return {
    ...NO_HINTS,
    ...readMetadata(metadataPlaces('subscription', subscription)),
    processorCustomerId: subscription.customer_id,
    subscriptionId: subscription.id,
  };
}

/** Only `customer.*` events contain an e-mail address and a name. */
export function customerHints(customer: z.output<typeof customerSchema>): CustomerHints {
  const { id, email, name, custom_data: metadata } = customer;
  const { externalIds, clickIds } = readMetadata([{ place: 'customer.custom_data', metadata }]);
  return { ...NO_HINTS, externalIds, clickIds, processorCustomerId: id, email, name };
}

/** The strongest place comes first. */
function metadataPlaces(
  entity: 'transaction' | 'subscription',
  { custom_data, items }: { custom_data?: unknown; items: Items },
): MetadataPlace[] {
  return [
    { place: `${entity}.custom_data`, metadata: custom_data },
    ...items.map(({ price }, index) => ({
      place: `${entity}.items[${index}].price.custom_data`,
      metadata: price?.custom_data,
    })),
  ];
}
