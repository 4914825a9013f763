import type { DeliveryJob } from '../../src/core/delivery.ts';
import type { PaymentReceived } from '../../src/core/facts.ts';
import type { AccountId, EndpointId } from '../../src/core/ids.ts';
import { createId } from '../../src/ids.ts';

/** A verified delivery in which the customer `payer` paid 10.00 USD, or one whose adapter failed with this message. */
export function paymentJob(
  { accountId, endpointId }: { accountId: AccountId; endpointId: EndpointId },
  invoice: string,
  failure: string | null,
): DeliveryJob {
  const occurredAt = Date.now();
  const fact: PaymentReceived = {
    kind: 'payment.received',
    references: [invoice],
    invoiceId: invoice,
    grossMinor: 1_000,
    netMinor: 1_000,
    taxMinor: 0,
    shippingMinor: 0,
    currency: 'USD',
    presentment: null,
    recurring: true,
    customer: {
      externalIds: [{ value: 'payer', place: 'metadata' }],
      clickIds: [],
      processorCustomerId: 'cus_payer',
      subscriptionId: null,
      email: null,
      name: null,
    },
    discountCodes: [],
    occurredAt,
  };
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
