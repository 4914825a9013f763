import { isoTime } from '../../src/core/time.ts';
import type { BackfillPage, BackfillRequest } from '../contract/adapter.ts';
import { invalid, requestPage, type ShopList, unexpected } from './backfill-client.ts';
import { readDisputes } from './backfill-disputes.ts';
import { deliveriesOf } from './backfill-orders.ts';
import { recordsIn } from './backfill-records.ts';
import { guide } from './guide.ts';
import type { Settings } from './settings.ts';
import { API_VERSION } from './sign.ts';

/** `disputes`, perhaps with the `page_info` of a page; otherwise, a cursor is the `page_info` of a page of orders. */
const DISPUTES = /^disputes(?: (\S+))?$/;

/**
 * Reads the orders that were updated since then, from the REST Admin API, whose orders are written as in webhooks. The
 * oldest comes first, because which sale of a customer is the first decides about commission. An order that is updated
 * meanwhile stays in its place. Therefore no time limits `updated_at`: `created_at` leaves out what is newer than the reading.
 *
 * Then it reads the disputes, if the access token may, and says what it may not read.
 */
export async function readPage(request: BackfillRequest): Promise<BackfillPage> {
  const { shopDomain } = request.settings as Settings;
  if (shopDomain === null) {
    throw invalid('Set the shopDomain of this endpoint, such as example.myshopify.com: its orders are read');
  }
  const disputes = DISPUTES.exec(request.cursor ?? '');
  if (disputes !== null) {
    const { next, ...page } = await readDisputes({ ...request, cursor: disputes[1] ?? null }, shopDomain);
    return { ...page, cursor: next === null ? null : `disputes ${next}` };
  }
  const { records, next } = recordsIn(await requestPage(request, shopDomain, ordersOf(request)), 'orders', ORDERS);
  if (next !== null && next === request.cursor) {
    throw unexpected(ORDERS, 'its next page would be the same page again');
  }
  const deliveries = records.flatMap(({ text, payload }) => deliveriesOf(text, payload, shopDomain));
  return { deliveries, cursor: next ?? 'disputes' };
}

const ORDERS = { what: 'orders', permission: 'permission' in guide.backfill ? guide.backfill.permission : '' };

function ordersOf({ since, until }: BackfillRequest): ShopList {
  return {
    ...ORDERS,
    path: `admin/api/${API_VERSION}/orders.json`,
    query: {
      status: 'any',
      order: 'created_at asc',
      updated_at_min: isoTime(since),
      created_at_max: isoTime(until),
    },
    // at most 250 (https://shopify.dev/docs/api/admin-rest/2026-10/resources/order), which would hold up other requests
    limits: [50, 10, 1],
  };
}
