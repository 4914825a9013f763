import { adapters } from '../../../../adapters/index.ts';
import type { Service } from '../../../app/service.ts';
import type { EndpointId } from '../../../core/ids.ts';
import { loadEndpoint } from '../../../deliveries/endpoint-cache.ts';
import { interpretDelivery } from '../../../deliveries/interpret.ts';
import { storeDelivery } from '../../../deliveries/store.ts';
import { createId } from '../../../ids.ts';
import type { FurnishedStage } from '../furnish.ts';
import { serviceAt } from './past.ts';

/** Stripe's headers that a delivery keeps. */
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
};

/** Stores a delivery of Stripe as if it was received and verified at that time. */
export type DeliverPast = (rawBody: Buffer, at: number) => Promise<void>;

export async function createStripe(service: Service, { accountId, targets }: FurnishedStage): Promise<DeliverPast> {
  const adapter = await adapters.stripe();
  const endpointId = (targets.stripe.url.split('/').at(-1) ?? '') as EndpointId;
  const endpoint = await loadEndpoint(service, endpointId, 'stripe');
  if (endpoint === null) throw new Error(`There is no endpoint at ${targets.stripe.url}`);
  return async (rawBody, at) => {
    const { processor, settings, programId } = endpoint;
    const unread = { rawBody, headers: HEADERS, processor, settings, programId, verification: null };
    const { deliveryKey, eventType, interpreted } = interpretDelivery(adapter, unread);
    const past = serviceAt(service, at);
    if (deliveryKey === null) throw new Error('An example has no event id');
    await storeDelivery(past.database, {
      received: {
        id: createId('dlv'),
        accountId,
        endpointId,
        processor,
        deliveryKey,
        eventType,
        receivedAt: at,
        headers: JSON.stringify(HEADERS),
        body: rawBody,
      },
      interpreted,
      parkedDays: service.parkedDays,
      isTouchDue: true,
    });
  };
}
