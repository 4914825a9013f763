import type { DeliveryJob } from '../../src/core/delivery.ts';
import type { AccountId, EndpointId } from '../../src/core/ids.ts';
import { createId } from '../../src/ids.ts';
import { hints, received } from './facts.ts';

const AMOUNTS = { grossMinor: 1_000, netMinor: 1_000, taxMinor: 0, currency: 'USD' };

/** A verified delivery in which the customer `payer` paid 10.00 USD, or one whose adapter failed with this message. */
export function paymentJob(
  { accountId, endpointId }: { accountId: AccountId; endpointId: EndpointId },
  invoice: string,
  failure: string | null,
): DeliveryJob {
  const occurredAt = Date.now();
  const payer = hints({ externalId: 'payer', processorCustomerId: 'cus_payer' });
  const fact = received([invoice], payer, { ...AMOUNTS, recurring: true, occurredAt });
  return {
    received: {
      id: createId('dlv'),
      accountId,
      endpointId,
      processor: 'stripe',
      deliveryKey: `evt_${invoice}`,
      eventType: 'invoice.paid',
      receivedAt: occurredAt,
      headers: '{}',
      body: Buffer.from(`{"id":"evt_${invoice}"}`),
    },
    interpreted:
      failure === null
        ? { interpretation: { kind: 'facts', facts: [fact] }, failure }
        : { interpretation: null, failure },
    parkedDays: 90,
    isTouchDue: true,
  };
}
