import { z } from 'zod';
import { optional, parseInput, text } from '../app/fields.ts';
import { type Page, pageFields, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { TraceStep } from '../core/attribution.ts';
import { PAYMENT_PROCESSORS } from '../core/processor.ts';
import { REVIEWS } from '../core/self-referral.ts';
import { isoTime } from '../core/time.ts';
import { notFound } from '../errors.ts';
import { entriesOfSale } from '../ledger/list.ts';
import type { Transaction } from '../storage/database.ts';
import { findSale, findSales, SALE_STATUSES, type SaleView } from './queries/list-sales.ts';
import { listDisputes, listRefunds } from './queries/refunds.ts';
import { getReversibleSale } from './queries/sales.ts';
import { assessReversal, noteOf } from './reverse-sale.ts';

const salesPageInput = z.object({
  ...pageFields('sal'),
  invoiceId: optional(text()),
  customerExternalId: optional(text()),
  partnerId: optional(text()),
  processor: optional(z.enum(PAYMENT_PROCESSORS)),
  status: optional(z.enum(SALE_STATUSES)),
  review: optional(z.enum(REVIEWS)),
});

export type SaleResource = ReturnType<typeof asSale>;

/** The newest first. Filters: `invoiceId customerExternalId partnerId processor status review`. */
export function listSales(service: Service, accountId: string, query: unknown): Promise<Page<SaleResource>> {
  const { limit, cursor, ...filters } = parseInput(salesPageInput, query);
  const find = (tx: Transaction) =>
    pageOf({ limit, cursor }, (bounds) => findSales(tx, accountId, filters, service.clock(), bounds), asSale);
  return service.database.read(find);
}

/**
 * One sale with everything that was made of it: refunds and disputes as they were reported, and its ledger entries.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export function getSale(service: Service, accountId: string, id: string) {
  return service.database.read(async (tx) => {
    const sale = await findSale(tx, accountId, id, service.clock());
    if (!sale) throw notFound('sale', id);
    const reversible = await getReversibleSale(tx, accountId, id);
    const refunds = await listRefunds(tx, sale.paymentId);
    const disputes = await listDisputes(tx, sale.paymentId);
    return {
      ...asSale(sale),
      note: reversible ? noteOf(reversible, (await assessReversal(tx, reversible)).reversal) : null,
      metadata: sale.metadata === null ? null : JSON.parse(sale.metadata),
      terms: JSON.parse(sale.terms),
      refunds: refunds.map(({ refundKey, kind, amount, currency, failed, processor, occurredAt }) => ({
        id: kind === 'refund' ? refundKey : null,
        kind,
        processor,
        amount,
        currency,
        status: failed === 1 ? 'failed' : 'succeeded',
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
      entries: await entriesOfSale(tx, accountId, id),
    };
  });
}

function asSale(sale: SaleView) {
  const steps = JSON.parse(sale.steps) as TraceStep[];
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
    attribution: { matchedBy: sale.matchedBy, steps },
    review: sale.review,
    note: sale.voidedReason,
  };
}
