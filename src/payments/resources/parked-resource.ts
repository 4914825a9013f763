import { isoTime } from '../../core/time.ts';
import type { ParkedView } from '../queries/list-parked.ts';
import type { ParkedResource } from './parked-schemas.ts';

/** A parked payment as the API shows it. */
export function asParked({ id, processor, fact, steps, occurredAt, expiresAt }: ParkedView): ParkedResource {
  const { externalIds, clickIds, processorCustomerId, subscriptionId, email, name } = fact.customer;
  return {
    id,
    processor,
    invoiceId: fact.invoiceId,
    references: fact.references,
    amount: fact.netMinor,
    grossAmount: fact.grossMinor,
    currency: fact.currency,
    customer: {
      externalIds: externalIds.map((hint) => hint.value),
      clickIds: clickIds.map((hint) => hint.value),
      processorCustomerId,
      subscriptionId,
      email,
      name,
    },
    steps,
    occurredAt: isoTime(occurredAt),
    expiresAt: isoTime(expiresAt),
  };
}
