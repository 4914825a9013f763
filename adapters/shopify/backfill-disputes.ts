import { DAY_MS } from '../../src/core/time.ts';
import type { BackfillPage, BackfillRequest } from '../contract/adapter.ts';
import { parseRecord } from '../contract/backfill.ts';
import { requestPage, type ShopList, unexpected } from './backfill-client.ts';
import { deliveryOf } from './backfill-orders.ts';
import { type ListedRecord, recordsIn } from './backfill-records.ts';
import { readScopes } from './backfill-scopes.ts';
import { SCHEMAS } from './payload.ts';
import { API_VERSION } from './sign.ts';

/**
 * How long before `since` a dispute may have been opened that was decided since then: the list has no filter for that, and is in
 * the order in which disputes were opened.
 */
const DECIDED_WITHIN_MS = 180 * DAY_MS;

const DISPUTES: ShopList = {
  what: 'disputes',
  permission: 'the access scope read_shopify_payments_disputes or read_shopify_payments_payouts',
  path: `admin/api/${API_VERSION}/shopify_payments/disputes.json`,
  query: {},
  limits: [null],
};

/**
 * A page of the disputes that are open, or were decided in the period, the newest first: Shopify knows no other order. None if
 * the access token has no scope for them. The first page also says what the token may not read.
 */
export async function readDisputes(
  request: BackfillRequest,
  shopDomain: string,
): Promise<Pick<BackfillPage, 'deliveries' | 'notRead'> & { next: string | null }> {
  const { since, until, cursor } = request;
  const readable = cursor === null ? await readScopes(request, shopDomain) : { disputes: true, notRead: [] };
  const { notRead } = readable;
  if (!readable.disputes) return { deliveries: [], notRead, next: null };
  const { records, next } = recordsIn(await requestPage(request, shopDomain, DISPUTES), 'disputes', DISPUTES);
  if (next !== null && next === cursor) throw unexpected(DISPUTES, 'its next page would be the same page again');
  const read = records.map(readDispute);
  const isPast = read.some(({ openedAt }) => openedAt < since - DECIDED_WITHIN_MS);
  const due = read.filter(({ openedAt, changedAt }) => openedAt <= until && changedAt >= since);
  return {
    deliveries: due.map(({ topic, text }) => deliveryOf(topic, text, shopDomain)),
    notRead,
    next: isPast ? null : next,
  };
}

/** https://shopify.dev/docs/api/admin-rest/2026-10/resources/dispute, the same as in webhooks. */
const datedDispute = SCHEMAS.dispute.pick({ initiated_at: true, finalized_on: true, status: true });

const OPEN = new Set(['needs_response', 'under_review']);

function readDispute({ text, payload }: ListedRecord) {
  const dispute = parseRecord('Shopify listed a dispute', datedDispute, payload);
  const openedAt = Date.parse(dispute.initiated_at);
  const isOpen = OPEN.has(dispute.status);
  const decidedAt = dispute.finalized_on ? Date.parse(dispute.finalized_on) : Number.POSITIVE_INFINITY;
  return {
    text,
    topic: isOpen ? 'disputes/create' : 'disputes/update',
    openedAt,
    // an inquiry becomes a chargeback at a time that is not stated, and so may be when a dispute was decided
    changedAt: isOpen ? Number.POSITIVE_INFINITY : decidedAt,
  };
}
