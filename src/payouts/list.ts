import { type Page, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound } from '../errors.ts';
import { findPayout, findPayouts, type PayoutView } from './queries/list.ts';
import type { PayoutListQuery, PayoutResource } from './schemas.ts';

/** One page of payouts, the newest first. Filters: `partnerId status`. */
export function listPayouts(
  service: Service,
  accountId: AccountId,
  { limit, cursor, ...filters }: PayoutListQuery,
): Promise<Page<PayoutResource>> {
  return service.database.report((tx) =>
    pageOf({ limit, cursor }, (bounds) => findPayouts(tx, accountId, filters, bounds), asPayout),
  );
}

/** @throws ServiceError `NOT_FOUND` */
export async function getPayout(service: Service, accountId: AccountId, id: string): Promise<PayoutResource> {
  const payout = await service.database.read((tx) => findPayout(tx, accountId, id));
  if (!payout) throw notFound('payout', id);
  return asPayout(payout);
}

/** The resource of a payout. */
export function asPayout(payout: PayoutView): PayoutResource {
  return {
    id: payout.id,
    programId: payout.programId,
    partnerId: payout.partnerId,
    currency: payout.currency,
    amount: payout.amount,
    status: payout.status,
    entryCount: payout.entryCount,
    createdAt: isoTime(payout.createdAt),
    processingAt: isoTimeOrNull(payout.processingAt),
    processingBy: payout.processingBy,
    paidAt: isoTimeOrNull(payout.paidAt),
    endedAt: isoTimeOrNull(payout.endedAt),
    endedBy: payout.endedBy,
    note: payout.note,
  };
}
