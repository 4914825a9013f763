import type { BackfillRequest, NotRead } from '../contract/adapter.ts';
import { requestIfServed, type ShopList } from './backfill-client.ts';
import { recordsIn } from './backfill-records.ts';

/**
 * Any of these lets the token read disputes: https://shopify.dev/docs/api/admin-rest/2026-10/resources/dispute names the latter
 * two without `read_`.
 */
const OF_DISPUTES = /^read_shopify_payments(?:_disputes|_payouts)?$/;

/**
 * Without it, lists contain no older orders, not even those that have been refunded since:
 * https://shopify.dev/docs/api/usage/access-scopes
 */
const OF_OLD_ORDERS = /^read_all_orders$/;

const OLD_ORDERS = 'orders that were created more than 60 days ago';

const SCOPES: ShopList = {
  what: 'access scopes',
  permission: 'to belong to this shop',
  path: 'admin/oauth/access_scopes.json',
  query: {},
  limits: [null],
};

/** What the access token may read, apart from the latest orders. */
export interface Readable {
  /** A shop without Shopify Payments has no use for the scope. */
  disputes: boolean;
  notRead: NotRead[];
}

/**
 * What the scopes of the access token let it read. Disputes are not read if the scopes cannot be asked for: a proxy may pass on
 * only what is below `/admin/api`.
 *
 * @throws ServiceError as `ReadBackfillPage`
 */
export async function readScopes(request: BackfillRequest, shopDomain: string): Promise<Readable> {
  const answer = await requestIfServed(request, shopDomain, SCOPES);
  if (answer === null) {
    const reason = `the access scopes of the token are unknown, because apiUrl does not serve /${SCOPES.path}`;
    const oldOrders = { what: `${OLD_ORDERS}, unless the token has the access scope read_all_orders`, reason };
    return { disputes: false, notRead: [oldOrders, { what: 'disputes', reason }] };
  }
  const { records } = recordsIn(answer, 'access_scopes', SCOPES);
  const has = (scope: RegExp) =>
    records.some(({ payload: { handle } }) => typeof handle === 'string' && scope.test(handle));
  const disputes = has(OF_DISPUTES);
  const notRead: NotRead[] = [];
  if (!has(OF_OLD_ORDERS)) notRead.push({ what: OLD_ORDERS, reason: lacks('read_all_orders') });
  if (!disputes) {
    const reason = `${lacks('read_shopify_payments_disputes')}; a shop without Shopify Payments has no disputes`;
    notRead.push({ what: 'disputes', reason });
  }
  return { disputes, notRead };
}

function lacks(scope: string): string {
  return `the access token does not have the access scope ${scope}`;
}
