import { isoTime, isoTimeOrNull } from '../core/time.ts';
import type { PayoutView } from './queries/list.ts';
import type { PayoutResource } from './schemas.ts';

/** The resource of a payout. */
export function asPayout(payout: PayoutView): PayoutResource {
  return {
    id: payout.id,
    programId: payout.programId,
    partnerId: payout.partnerId,
    partnerName: payout.partnerName,
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
