import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notReadIn } from './not-read.ts';
import type { ItemWithPartner } from './queries/items.ts';
import type { ReconciliationRow } from './queries/reconciliations.ts';
import type { ReconciliationDetail, ReconciliationResource } from './schemas.ts';

export function reconciliationResource(row: ReconciliationRow): ReconciliationResource {
  return {
    id: row.id,
    endpointId: row.endpointId,
    processor: row.processor,
    dryRun: row.dryRun === 1,
    since: isoTime(row.since),
    until: isoTime(row.createdAt),
    status: row.status,
    counts: {
      read: row.readCount,
      known: row.knownCount,
      ignored: row.ignoredCount,
      sales: row.saleCount,
      reversals: row.reversalCount,
      unattributed: row.unattributedCount,
      failed: row.failedCount,
      other: row.otherCount,
    },
    notRead: notReadIn(row.notRead),
    error: row.error,
    createdBy: { id: row.actorId, name: row.actorName },
    createdAt: isoTime(row.createdAt),
    startedAt: isoTimeOrNull(row.startedAt),
    endedAt: isoTimeOrNull(row.endedAt),
  };
}

export function reconciliationDetail(row: ReconciliationRow, items: readonly ItemWithPartner[]): ReconciliationDetail {
  return { ...reconciliationResource(row), missing: items.map(missingOf) };
}

function missingOf({ reconciliationId: _, deliveryKey: _key, occurredAt, ...shown }: ItemWithPartner) {
  return { ...shown, occurredAt: isoTime(occurredAt) };
}
