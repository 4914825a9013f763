import { type Page, type PageQuery, pageOf } from '../../app/page.ts';
import type { Service } from '../../app/service.ts';
import { distinctDisputes } from '../../core/dispute-report.ts';
import type { AccountId, PartnerId } from '../../core/ids.ts';
import type { SaleStatus } from '../../core/sale.ts';
import { findDisputesOf } from '../queries/disputes.ts';
import { findSales, type SaleView } from '../queries/list-sales.ts';
import { isDuplicate } from '../void-sale.ts';

/**
 * Why commission of a sale was reversed or is held. `refund`: the customer got money back. `chargeback`: a dispute was
 * lost. `dispute`: a dispute is open. `self_referral`: the sale was rejected as a self-referral. `duplicate`: the
 * payment already has another sale.
 */
export const REVERSAL_REASONS = ['refund', 'chargeback', 'dispute', 'self_referral', 'duplicate'] as const;

export type ReversalReason = (typeof REVERSAL_REASONS)[number];

/** What a partner may see of a sale. Amounts in minor units, times in epoch milliseconds. */
export interface PartnerSale {
  id: string;
  occurredAt: number;
  /** Null when the customer has none. */
  customerEmail: string | null;
  amount: number;
  currency: string;
  commissionAmount: number;
  reversedCommissionAmount: number;
  status: SaleStatus;
  reversalReason: ReversalReason | null;
}

/** One page of a partner's sales, newest first. */
export function listSalesOfPartner(
  service: Service,
  { accountId, partnerId }: { accountId: AccountId; partnerId: PartnerId },
  page: PageQuery,
): Promise<Page<PartnerSale>> {
  const now = service.clock();
  return service.database.report(async (tx) => {
    const { data, nextCursor } = await pageOf(
      page,
      (bounds) => findSales(tx, accountId, { partnerId }, { ...bounds, now }),
      (sale) => sale,
    );
    const lowered = data.filter(({ refundedAmount }) => refundedAmount > 0).map(({ paymentId }) => paymentId);
    const disputes = lowered.length === 0 ? [] : await findDisputesOf(tx, lowered);
    const lost = new Set(
      distinctDisputes(disputes)
        .filter(({ state }) => state === 'lost')
        .map(({ paymentId }) => paymentId),
    );
    return { data: data.map((sale) => asPartnerSale(sale, lost.has(sale.paymentId))), nextCursor };
  });
}

function asPartnerSale(sale: SaleView, isDisputeLost: boolean): PartnerSale {
  const { id, occurredAt, email, amount, currency, commissionAmount, reversedCommissionAmount, status } = sale;
  return {
    id,
    occurredAt,
    customerEmail: email,
    amount,
    currency,
    commissionAmount,
    reversedCommissionAmount,
    status,
    reversalReason: reasonOf(sale, isDisputeLost),
  };
}

function reasonOf({ voidedReason, review, status, refundedAmount }: SaleView, isDisputeLost: boolean) {
  // a sale voided by another service was voided for that service's own reasons
  if (voidedReason !== null) return isDuplicate(voidedReason) ? 'duplicate' : null;
  if (review === 'rejected') return 'self_referral';
  if (status === 'disputed') return 'dispute';
  if (isDisputeLost) return 'chargeback';
  return refundedAmount > 0 ? 'refund' : null;
}
