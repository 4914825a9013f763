import type { CustomerHints } from '../../src/core/facts.ts';
import { NO_HINTS, readMetadata } from '../contract/readers.ts';

/** The members that orders, invoices and subscriptions share. */
interface Person {
  customer_id: string | null;
  user_email: string | null;
  user_name: string | null;
}

/** Every event of an order or subscription carries its checkout's custom data in `meta`, outside the object itself. */
export function personHints(person: Person, subscriptionId: string | null, customData: unknown): CustomerHints {
  return {
    ...NO_HINTS,
    ...readMetadata([{ place: 'meta.custom_data', metadata: customData }]),
    processorCustomerId: person.customer_id,
    subscriptionId,
    email: person.user_email,
    name: person.user_name,
  };
}
