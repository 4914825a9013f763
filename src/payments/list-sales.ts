import { type Page, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { notFound } from '../errors.ts';
import { entriesOfSale } from '../ledger/list.ts';
import type { Transaction } from '../storage/database.ts';
import { findSale, findSales, type SaleView } from './queries/list-sales.ts';
import { findDisputes, findRefunds } from './queries/refunds.ts';
import { assessReversal, getReversibleSale, noteOf } from './reverse-sale.ts';
import type { SaleDetailResource, SaleListQuery, SaleResource } from './sale-schemas.ts';

/** One page of sales, the newest first. Filters: `invoiceId customerExternalId partnerId processor status review`. */
export function listSales(
  service: Service,
  accountId: AccountId,
  { limit, cursor, ...filters }: SaleListQuery,
): Promise<Page<SaleResource>> {
  const find = (tx: Transaction) =>
    pageOf(
      { limit, cursor },
      (bounds) => findSales(tx, accountId, filters, { ...bounds, now: service.clock() }),
      asSale,
    );
  return service.database.report(find);
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
    const { reversal } = await assessReversal(tx, reversible);
    const refunds = await findRefunds(tx, sale.paymentId);
    const disputes = await findDisputes(tx, sale.paymentId);
    return {
      ...asSale(sale),
      note: noteOf(reversible, reversal),
      metadata: sale.metadata,
      terms: sale.terms,
      refunds: refunds.map(({ refundKey, kind, amount, currency, failed, processor, occurredAt }) => ({
        id: kind === 'refund' ? refundKey : null,
        kind,
        processor,
        amount,
        currency,
        status: failed ? 'failed' : 'succeeded',
        occurredAt: isoTime(occurredAt),
      })),
      disputes: disputes.map(({ disputeId, amount, currency, state, processor, occurredAt }) => ({
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

function asSale(sale: SaleView): SaleResource {
  return {
    id: sale.id,
    amount: sale.amount,
    currency: sale.currency,
    commissionAmount: sale.commissionAmount,
    status: sale.status,
    invoiceId: sale.invoiceId,
    paymentProcessor: sale.paymentProcessor,
    grossAmount: sale.grossAmount,
    refundedAmount: sale.refundedAmount,
    reversedCommissionAmount: sale.reversedCommissionAmount,
    eventName: sale.eventName,
    customer: { externalId: sale.externalId, email: sale.email, name: sale.name },
    programId: sale.programId,
    partnerId: sale.partnerId,
    linkId: sale.linkId,
    clickId: sale.clickId,
    occurredAt: isoTime(sale.occurredAt),
    createdAt: isoTime(sale.createdAt),
    attribution: { matchedBy: sale.matchedBy, steps: sale.steps },
    review: sale.review,
    note: sale.voidedReason,
  };
}
