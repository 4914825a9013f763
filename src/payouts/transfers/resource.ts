import { isoTime, isoTimeOrNull } from '../../core/time.ts';
import { TRANSFER_RAILS } from '../../rails/index.ts';
import type { TransferRow } from '../queries/transfers.ts';
import type { PayoutTransfer } from './schemas.ts';

/** The resource of a transfer. */
export function asTransfer(row: TransferRow): PayoutTransfer {
  return {
    rail: row.rail,
    mode: row.isLive === 1 ? 'live' : 'test',
    status: row.status,
    destination: row.destination === null ? null : maskedAccount(row.rail, row.destination),
    transferId: row.transferId,
    problem: row.problem,
    attempts: row.attempts,
    createdAt: isoTime(row.createdAt),
    createdBy: row.createdBy,
    nextAttemptAt: isoTimeOrNull(row.dueAt),
    endedAt: isoTimeOrNull(row.endedAt),
  };
}

function maskedAccount(rail: TransferRow['rail'], account: string): string {
  const { accountOf, detailsOf, masked } = TRANSFER_RAILS[rail];
  return accountOf(masked(detailsOf(account)));
}
