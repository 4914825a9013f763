import { hasLongText, longTextReply } from '../app/json-object.ts';
import { type Page, pageOf, withNarrowing } from '../app/page.ts';
import type { RawReply } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { notFound } from '../errors.ts';
import { findDeliveries, findDelivery } from './queries/list.ts';
import { asDelivery } from './resource.ts';
import type { DeliveryDetailResource, DeliveryListQuery, DeliveryResource } from './schemas.ts';

/** One page of deliveries, newest first. Filters: `processor outcome status endpointId saleId from to`. */
export function listDeliveries(
  service: Service,
  accountId: AccountId,
  { limit, cursor, from, to, ...filters }: DeliveryListQuery,
): Promise<Page<DeliveryResource>> {
  return service.database.report((tx) =>
    pageOf(
      { limit, cursor, from, to },
      (bounds) => findDeliveries(tx, accountId, withNarrowing(filters, bounds), bounds),
      asDelivery,
    ),
  );
}

/**
 * One delivery with its stored headers and its body as text, streamed if that is long. The body is null after its deletion.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function getDelivery(
  service: Service,
  accountId: AccountId,
  id: string,
): Promise<DeliveryDetailResource | RawReply> {
  const delivery = await service.database.read((tx) => findDelivery(tx, accountId, id));
  if (!delivery) throw notFound('delivery', id);
  const resource = {
    ...asDelivery(delivery),
    headers: delivery.headers,
    body: delivery.body?.toString('utf8') ?? null,
  };
  return hasLongText(resource) ? longTextReply(resource) : resource;
}
