import { type Page, pageOf, pageOfPartners, withNarrowing } from '../../app/page.ts';
import type { Service } from '../../app/service.ts';
import { distinctDisputes } from '../../core/dispute-report.ts';
import type { AccountId } from '../../core/ids.ts';
import { NO_CURRENCY } from '../../core/refund-report.ts';
import { isoTime } from '../../core/time.ts';
import { notFound } from '../../errors.ts';
import { entriesOfSale } from '../../ledger/list.ts';
import { hasSalesIn } from '../../results/sums.ts';
import type { Transaction } from '../../storage/database.ts';
import { assessReports, noteOf } from '../assess-reversal.ts';
import { findDisputes } from '../queries/disputes.ts';
import { findSale, findSales, orderOfSales } from '../queries/list-sales.ts';
import { findRefunds } from '../queries/refunds.ts';
import { notesOfUncounted } from '../reported-amounts.ts';
import { asSale } from '../resources/sale-resource.ts';
import type { SaleDetailResource, SaleListQuery, SaleResource } from '../resources/sale-schemas.ts';
import { getReversibleSale } from '../reverse-sale.ts';
import { listedPartnersOf, searchOf } from './list-partners.ts';

/** One page of sales, newest first. `from` and `to` filter by the time a sale was recorded. */
export function listSales(service: Service, accountId: AccountId, query: SaleListQuery): Promise<Page<SaleResource>> {
  const { limit, cursor, from, to, partnerId, tenantId, linkId, programId, currency, search, email, ...others } = query;
  const filters = { ...others, ...searchOf({ search, email }) };
  const page = { limit, cursor, from, to, values: { linkId, programId, currency } };
  return service.database.report((tx: Transaction) =>
    pageOf(
      page,
      async (bounds) => {
        // the query would otherwise scan every sale for the currency
        if (currency !== null && !(await hasSalesIn(tx, accountId, currency))) return [];
        const partnerIds = await listedPartnersOf(tx, accountId, { partnerId, tenantId, linkId });
        return pageOfPartners(partnerIds, { limit: bounds.limit, sortedBy: orderOfSales(filters) }, (id) => {
          const ofPartner = withNarrowing({ ...filters, partnerId: id }, bounds);
          return findSales(tx, accountId, ofPartner, { ...bounds, now: service.clock() });
        });
      },
      asSale,
    ),
  );
}

/**
 * A sale with its refunds and disputes as reported, and its ledger entries.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export function getSale(service: Service, accountId: AccountId, id: string): Promise<SaleDetailResource> {
  return service.database.read(async (tx): Promise<SaleDetailResource> => {
    const sale = await findSale(tx, accountId, id, service.clock());
    if (!sale) throw notFound('sale', id);
    const reversible = await getReversibleSale(tx, accountId, sale.id);
    const reports = await findRefunds(tx, sale.paymentId);
    // a total of nothing only tells what was released
    const refunds = reports.filter(({ kind, amount }) => kind === 'refund' || amount !== 0);
    const disputes = await findDisputes(tx, sale.paymentId);
    const { reversal } = assessReports(reversible, reports, disputes);
    const notes = [noteOf(reversible, reversal), ...notesOfUncounted(reversible, reports)];
    return {
      ...asSale(sale),
      note: notes.filter((note) => note !== null).join('; ') || null,
      metadata: sale.metadata,
      terms: sale.terms,
      refunds: refunds.map(({ refundKey, kind, amount, currency, failed, processor, occurredAt }) => ({
        id: kind === 'refund' ? refundKey : null,
        kind,
        processor,
        amount,
        currency: currency === NO_CURRENCY ? sale.currency : currency,
        status: failed ? 'failed' : 'succeeded',
        occurredAt: isoTime(occurredAt),
      })),
      disputes: distinctDisputes(disputes).map(({ disputeId, amount, currency, state, processor, occurredAt }) => ({
        id: disputeId,
        processor,
        amount,
        currency,
        state,
        occurredAt: isoTime(occurredAt),
      })),
      entries: await entriesOfSale(tx, accountId, sale.id),
    };
  });
}
