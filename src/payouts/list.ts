import { type Page, pageOf, pageOfPartners, withNarrowing } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PartnerId } from '../core/ids.ts';
import { notFound } from '../errors.ts';
import { partnerIdsOf } from '../programs/tenants.ts';
import { findLiveFile } from './queries/files.ts';
import { findPayout, findPayouts } from './queries/list.ts';
import { sumUnderWay } from './queries/payouts.ts';
import { findTransfer, findTransfers } from './queries/transfers.ts';
import { asPayout } from './resource.ts';
import type { ListedPayout, PayoutInFull, PayoutListQuery, PayoutResource } from './schemas.ts';
import { asTransfer } from './transfers/resource.ts';
import type { PayoutTransfer } from './transfers/schemas.ts';

/** One page of payouts, newest first. */
export function listPayouts(
  service: Service,
  accountId: AccountId,
  { limit, cursor, from, to, partnerId, tenantId, programId, currency, status }: PayoutListQuery,
): Promise<Page<ListedPayout>> {
  const page = { limit, cursor, from, to, values: { programId, currency } };
  return service.database.report(async (tx) => {
    const { data, nextCursor } = await pageOf(
      page,
      async (bounds) => {
        const partnerIds = await partnerIdsOf(tx, accountId, { partnerId, tenantId });
        return pageOfPartners(partnerIds, { limit: bounds.limit, sortedBy: 'id' }, (id) =>
          findPayouts(tx, accountId, withNarrowing({ status, partnerId: id }, bounds), bounds),
        );
      },
      asPayout,
    );
    const ids = data.map(({ id }) => id);
    const transfers = (await findTransfers(tx, accountId, ids)).map((row) => [row.payoutId, asTransfer(row)] as const);
    const transferOf = new Map<string, PayoutTransfer>(transfers);
    return { data: data.map((payout) => ({ ...payout, transfer: transferOf.get(payout.id) ?? null })), nextCursor };
  });
}

/** @throws ServiceError `NOT_FOUND` */
export async function getPayout(service: Service, accountId: AccountId, id: string): Promise<PayoutResource> {
  const payout = await service.database.read((tx) => findPayout(tx, accountId, id));
  if (!payout) throw notFound('payout', id);
  return asPayout(payout);
}

/** @throws ServiceError `NOT_FOUND` */
export function getPayoutInFull(service: Service, accountId: AccountId, id: string): Promise<PayoutInFull> {
  return service.database.read(async (tx) => {
    const payout = await findPayout(tx, accountId, id);
    if (!payout) throw notFound('payout', id);
    const [fileId, transfer] = await Promise.all([findLiveFile(tx, payout.id), findTransfer(tx, accountId, id)]);
    return { ...asPayout(payout), fileId, transfer: transfer === undefined ? null : asTransfer(transfer) };
  });
}

/** The amounts of a partner's payouts that are neither paid nor failed, by currency. */
export async function amountsUnderWay(service: Service, partnerId: PartnerId): Promise<ReadonlyMap<string, number>> {
  const sums = await service.database.report((tx) => sumUnderWay(tx, partnerId));
  return new Map(sums.map(({ currency, amount }) => [currency, amount]));
}
