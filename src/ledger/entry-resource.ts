import { isoTime } from '../core/time.ts';
import type { EntryView } from './queries/list.ts';
import type { EntryResource } from './schemas.ts';

/** The resource of a ledger entry. */
export function asEntry(entry: EntryView): EntryResource {
  return {
    id: entry.id,
    partnerId: entry.partnerId,
    partnerName: entry.partnerName,
    saleId: entry.saleId,
    payoutId: entry.payoutId,
    kind: entry.kind,
    amount: entry.amount,
    currency: entry.currency,
    reason: entry.reason,
    availableAt: isoTime(entry.availableAt),
    createdAt: isoTime(entry.createdAt),
  };
}
