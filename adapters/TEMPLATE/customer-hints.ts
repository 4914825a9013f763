import type { CustomerHints } from '../../src/core/facts.ts';
import { NO_HINTS, readMetadata } from '../contract/readers.ts';
import type { Customer, Payment } from './payload.ts';

// TEMPLATE: read every place where a payload says who paid, strongest first.
export function paymentHints({ customer_id, subscription_id, email, name, metadata }: Payment): CustomerHints {
  return {
    ...NO_HINTS,
    ...readMetadata([{ place: 'payment.metadata', metadata }]),
    processorCustomerId: customer_id,
    subscriptionId: subscription_id,
    email,
    name,
  };
}

export function customerHints({ id, email, name, metadata }: Customer): CustomerHints {
  return {
    ...NO_HINTS,
    ...readMetadata([{ place: 'customer.metadata', metadata }]),
    processorCustomerId: id,
    email,
    name,
  };
}
