import type { Page } from '../../app/page.ts';
import type { Service } from '../../app/service.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { SaleStatus } from '../../core/sale.ts';
import { isoTime } from '../../core/time.ts';
import { listSales } from '../../payments/lists/list-sales.ts';
import type { SaleResource } from '../../payments/resources/sale-schemas.ts';
import { listPayouts } from '../../payouts/list.ts';
import { findPartnerNames, findSaleNames, type PartnerNames, type SaleNames } from '../queries/names.ts';
import { externalIdOf } from './customers.ts';
import type {
  DubCommission,
  DubCommissionListQuery,
  DubCommissionStatus,
  DubPayout,
  DubPayoutListQuery,
  DubPayoutStatus,
} from './list-schemas.ts';
import { continued, type DubReader, findDubPage, type PagedList } from './pages.ts';

const COMMISSION_STATUS: Readonly<Record<SaleStatus, DubCommissionStatus>> = {
  pending: 'pending',
  approved: 'processed',
  paid: 'paid',
  refunded: 'refunded',
  disputed: 'hold',
  rejected: 'fraud',
};

const PAYOUT_STATUS: Readonly<Record<PayoutStatus, DubPayoutStatus>> = {
  queued: 'pending',
  processing: 'processing',
  // dub has no such status; it calls processing what a provider has not confirmed
  held: 'processing',
  paid: 'completed',
  failed: 'failed',
  canceled: 'canceled',
};

const NEVER_OF_PARTNER = { image: null, payoutsEnabledAt: null, country: null };

/** One page of the commissions of sales, newest first. No other type of commission exists. */
export async function listDubCommissions(
  service: Service,
  reader: DubReader,
  query: DubCommissionListQuery,
): Promise<DubCommission[]> {
  const { accountId } = reader;
  const { page, pageSize, startingAfter, type, status: asked, start, end, ...named } = query;
  const [status] = ours(COMMISSION_STATUS, asked);
  if ((type !== null && type !== 'sale') || status === undefined) return [];
  const customerExternalId =
    named.customerId === null ? null : await externalIdOf(service, accountId, named.customerId);
  const { partnerId, tenantId, invoiceId } = named;
  const chosen = { partnerId, tenantId, invoiceId, status, customerExternalId, from: start, to: end };
  const filters = { ...chosen, processor: null, review: null, search: null, email: null, ...OF_ANY };
  const sales = await findDubPage(service, continued({ page, pageSize, startingAfter }), {
    reader,
    prefix: 'sal',
    filters,
    find: (one) => listSales(service, accountId, { ...one, ...filters }),
  });
  const { names, partners } = await service.database.read(async (tx) => ({
    names: await findSaleNames(tx, accountId, idsOf(sales, 'id')),
    partners: await findPartnerNames(tx, accountId, idsOf(sales, 'partnerId')),
  }));
  return sales.map((sale) => asCommission(sale, names.get(sale.id), partners.get(sale.partnerId)));
}

const OF_ANY = { programId: null, linkId: null, currency: null };

/** One page of payouts, newest first. */
export async function listDubPayouts(
  service: Service,
  reader: DubReader,
  { page, pageSize, startingAfter, status: asked, partnerId, tenantId }: DubPayoutListQuery,
): Promise<DubPayout[]> {
  const { accountId } = reader;
  const statuses = ours(PAYOUT_STATUS, asked);
  if (statuses.length === 0) return [];
  const named = { partnerId, tenantId, programId: null, currency: null, from: null, to: null };
  const filters = { ...named, statuses };
  const list = (one: DubPageBounds) =>
    mergedPages(one, statuses, (status) => listPayouts(service, accountId, { ...one, ...named, status }));
  const payouts = await findDubPage(
    service,
    { page, pageSize, startingAfter },
    { reader, prefix: 'pay', filters, find: list },
  );
  const partners = await service.database.read((tx) => findPartnerNames(tx, accountId, idsOf(payouts, 'partnerId')));
  return payouts.map((payout) => {
    const partner = partners.get(payout.partnerId);
    return {
      id: payout.id,
      invoiceId: null,
      amount: payout.amount,
      currency: payout.currency,
      status: PAYOUT_STATUS[payout.status],
      description: payout.note,
      periodStart: null,
      periodEnd: null,
      createdAt: payout.createdAt,
      initiatedAt: payout.processingAt,
      paidAt: payout.paidAt,
      mode: null,
      method: null,
      partner: {
        ...partnerOf(payout.partnerId, payout.partnerName, partner),
        defaultPayoutMethod: null,
        tenantId: partner?.tenantId ?? null,
      },
    };
  });
}

function asCommission(
  sale: SaleResource,
  names: SaleNames | undefined,
  partner: PartnerNames | undefined,
): DubCommission {
  return {
    id: sale.id,
    type: 'sale',
    amount: sale.amount,
    earnings: sale.commissionAmount - sale.reversedCommissionAmount,
    currency: sale.currency,
    status: COMMISSION_STATUS[sale.status],
    invoiceId: sale.invoiceId,
    description: null,
    quantity: 1,
    metadata: names?.metadata == null ? null : (JSON.parse(names.metadata) as Record<string, unknown>),
    createdAt: sale.createdAt,
    updatedAt: sale.createdAt,
    paidAt: null,
    partner: partnerOf(sale.partnerId, sale.partnerName, partner),
    customer:
      names === undefined
        ? null
        : {
            id: names.customerId,
            externalId: names.externalId ?? '',
            name: names.name,
            email: names.email,
            avatar: names.avatar,
            createdAt: isoTime(names.customerSince),
          },
  };
}

function partnerOf(id: string, name: string, partner: PartnerNames | undefined) {
  return { ...NEVER_OF_PARTNER, id, name, email: partner?.email ?? null };
}

/** Our statuses for one of theirs; only null without a filter, none when we have no such status. */
function ours<Our extends string, Their>(statuses: Readonly<Record<Our, Their>>, asked: Their | null): (Our | null)[] {
  if (asked === null) return [null];
  return (Object.keys(statuses) as Our[]).filter((status) => statuses[status] === asked);
}

type DubPageBounds = Parameters<PagedList<unknown>['find']>[0];

/** One page of several lists, each sorted by id from the highest to the lowest. */
async function mergedPages<Status, Row extends { id: string }>(
  { limit }: DubPageBounds,
  statuses: readonly Status[],
  list: (status: Status) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  const pages = await Promise.all(statuses.map(list));
  const rows = pages.flatMap(({ data }) => data).sort((a, b) => (a.id < b.id ? 1 : -1));
  const data = rows.slice(0, limit);
  const hasMore = rows.length > limit || pages.some(({ nextCursor }) => nextCursor !== null);
  return { data, nextCursor: hasMore ? (data.at(-1)?.id ?? null) : null };
}

function idsOf<Name extends string>(rows: readonly Readonly<Record<Name, string>>[], name: Name): string[] {
  return [...new Set(rows.map((row) => row[name]))];
}
