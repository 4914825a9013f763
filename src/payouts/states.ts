import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import { type Actor, actorName } from '../core/actor.ts';
import type { EventType } from '../core/event.ts';
import type { AccountId, PayoutId } from '../core/ids.ts';
import type { PayoutEnd } from '../core/payout.ts';
import { notFound, ServiceError } from '../errors.ts';
import { recordEvent } from '../events/record.ts';
import type { Transaction } from '../storage/database.ts';
import { findLiveFile } from './queries/files.ts';
import { findPayout } from './queries/list.ts';
import { endPayout, findPayoutOwner } from './queries/payouts.ts';
import { moveDays } from './queries/settle.ts';
import { addToQueuedPayout } from './queue.ts';
import { asPayout } from './resource.ts';
import type { PayoutResource } from './schemas.ts';
import { settleEntries } from './settle.ts';

const EVENT_OF = {
  paid: 'payout.paid',
  failed: 'payout.failed',
  canceled: 'payout.canceled',
} as const satisfies Readonly<Record<PayoutEnd, EventType>>;

/** The way a processing payout ended. */
export interface PayoutSettlement {
  status: PayoutEnd;
  /** A bank's reference, or the reason for the failure. */
  note: string | null;
  actor: Actor;
  /** Called before the payout ends, once no other unit can end it; throws to leave it as it is. */
  check?: (tx: Transaction, payoutId: PayoutId) => Promise<void>;
}

/**
 * Ends a payout that is processing. The entries of a failed or canceled payout go into the partner's next one; a record
 * of the first assignment remains. All sums are moved at once. If there are many entries, only the first ones are
 * marked here, and `finishSettling` marks the rest.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` unless it is processing, and for canceling one that is in a file;
 * whatever `check` throws
 */
export function settlePayout(
  service: Service,
  accountId: AccountId,
  id: string,
  { status, note, actor, check }: PayoutSettlement,
): Promise<PayoutResource> {
  const now = service.clock();
  return service.database.write(
    async (tx) => {
      const owner = await findPayoutOwner(tx, accountId, id);
      if (!owner) throw notFound('payout', id);
      const { id: payoutId, programId, partnerId, currency } = owner;
      const ofFiles = status === 'canceled' ? [claimKeys.payoutFiles(accountId)] : [];
      await tx.claim(() => [...ofFiles, claimKeys.payout(partnerId, currency)]);
      if (status === 'canceled') await requireNoLiveFile(tx, payoutId);
      await check?.(tx, payoutId);
      const end = { id: payoutId, status, endedAt: now, endedBy: actorName(actor), note: note || null };
      const contained = await endPayout(tx, end);
      if (!contained) throw wrongState(status, id, (await findPayoutOwner(tx, accountId, id))?.status ?? owner.status);
      // locked before the daily sums, also if nothing is added, as all units do that change these sums
      const added = status === 'paid' ? { amount: 0, entryCount: 0 } : contained;
      await addToQueuedPayout(tx, { accountId, programId, partnerId, currency, createdAt: now }, added);
      await moveDays(tx, { id: payoutId, partnerId, currency }, status === 'paid' ? 'paid' : 'open');
      await settleEntries(tx, payoutId, { status, settlingAfter: '' });
      const payout = await findPayout(tx, accountId, id);
      if (!payout) throw new Error(`Payout ${id} was ended but not found`);
      const after = asPayout(payout);
      const before = { ...after, status: 'processing', paidAt: null, endedAt: null, endedBy: null, note: null };
      noteChange(tx, { resourceId: payoutId, before, after });
      await recordEvent(tx, { accountId, type: EVENT_OF[status], occurredAt: now, data: () => after });
      return after;
    },
    { alone: true },
  );
}

/** A bank that has the file would pay what the partner's next payout contains again. */
async function requireNoLiveFile(tx: Transaction, payoutId: PayoutId): Promise<void> {
  const fileId = await findLiveFile(tx, payoutId);
  if (fileId === null) return;
  const message = `Payout ${payoutId} is in the file ${fileId}: cancel that file first if it was not sent, or mark the payout as failed once the bank has refused it`;
  throw new ServiceError('INVALID_STATE', message);
}

function wrongState(end: PayoutEnd, id: string, status: string): ServiceError {
  const problem = `Payout ${id} is ${status}; only a payout that is processing can become ${end}`;
  const advice = '. If its money came back, add an adjustment of its amount, which the next payout pays';
  return new ServiceError('INVALID_STATE', status === 'paid' && end === 'failed' ? problem + advice : problem);
}
