import { z } from 'zod';
import { optional, parseInput, text } from '../app/fields.ts';
import { type Page, pageFields, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { DELIVERY_STATUSES } from '../core/delivery.ts';
import { OUTCOMES } from '../core/facts.ts';
import { PROCESSORS } from '../core/processor.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound } from '../errors.ts';
import { type DeliveryView, findDeliveries, findDelivery } from './queries/list.ts';

const deliveriesPageInput = z.object({
  ...pageFields('dlv'),
  processor: optional(z.enum(PROCESSORS)),
  outcome: optional(z.enum(OUTCOMES)),
  status: optional(z.enum(DELIVERY_STATUSES)),
  endpointId: optional(text()),
});

export type DeliveryResource = ReturnType<typeof asDelivery>;

/** The newest first. Filters: `processor outcome status endpointId`. */
export function listDeliveries(service: Service, accountId: string, query: unknown): Promise<Page<DeliveryResource>> {
  const { limit, cursor, ...filters } = parseInput(deliveriesPageInput, query);
  return service.database.read((tx) =>
    pageOf({ limit, cursor }, (bounds) => findDeliveries(tx, accountId, filters, bounds), asDelivery),
  );
}

/**
 * One delivery with the headers that were kept and its body as text; null once the body was dropped.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function getDelivery(service: Service, accountId: string, id: string) {
  const delivery = await service.database.read((tx) => findDelivery(tx, accountId, id));
  if (!delivery) throw notFound('delivery', id);
  const { headers, body, ...view } = delivery;
  return { ...asDelivery(view), headers: JSON.parse(headers), body: body?.toString('utf8') ?? null };
}

function asDelivery({ nextAttemptAt, receivedAt, ...delivery }: DeliveryView) {
  return {
    ...delivery,
    nextAttemptAt: isoTimeOrNull(nextAttemptAt),
    receivedAt: isoTime(receivedAt),
  };
}
