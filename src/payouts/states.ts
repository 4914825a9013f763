import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import { type Actor, actorName } from '../core/actor.ts';
import type { EventType } from '../core/event.ts';
import type { AccountId, PayoutId } from '../core/ids.ts';
import type { PayoutEnd, PayoutStatus } from '../core/payout.ts';
import { notFound, ServiceError } from '../errors.ts';
import { recordEvent } from '../events/record.ts';
import { RAIL_FORMS } from '../rails/forms.ts';
import type { Transaction } from '../storage/database.ts';
import { findLiveFile } from './queries/files.ts';
import { findPayout, type PayoutView } from './queries/list.ts';
import { endPayout, findPayoutOwner } from './queries/payouts.ts';
import { moveDays } from './queries/settle.ts';
import { endHeldTransfer, findTransferStatus } from './queries/transfers.ts';
import { addToQueuedPayout } from './queue.ts';
import { asPayout } from './resource.ts';
import type { PayoutResource } from './schemas.ts';
import { settleEntries } from './settle.ts';

const EVENT_OF = {
  paid: 'payout.paid',
  failed: 'payout.failed',
  canceled: 'payout.canceled',
} as const satisfies Readonly<Record<PayoutEnd, EventType>>;

/** The way a payout that was under way ended. */
export interface PayoutSettlement {
  status: PayoutEnd;
  /** A bank's reference, or the reason for the failure. Without one, a payout that was held keeps the reason for that. */
  note: string | null;
  actor: Actor;
  /** Called before the payout ends, once no other unit can end it; throws to leave it as it is. */
  check?: (tx: Transaction, payout: PayoutView) => Promise<void>;
  /**
   * Ends the payout's transfer in the same unit, for whoever has sent it; throws to leave both as they are. Without it,
   * a payout that is being sent does not end, and a transfer that was held ends as the payout does.
   */
  endTransfer?: (tx: Transaction, payoutId: PayoutId) => Promise<void>;
}

/**
 * Ends a payout that is processing, or, as paid or failed, one that is held. The entries of a failed or canceled payout
 * go into the partner's next one; a record of the first assignment remains. All sums are moved at once. If there are many
 * entries, only the first ones are marked here, and `finishSettling` marks the rest.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` in another state, while it is being sent, and for canceling one that is
 * in a file; whatever `check` and `endTransfer` throw
 */
export function settlePayout(
  service: Service,
  accountId: AccountId,
  id: string,
  { status, note, actor, check, endTransfer }: PayoutSettlement,
): Promise<PayoutResource> {
  const now = service.clock();
  return service.database.write(
    async (tx) => {
      const owner = await findPayoutOwner(tx, accountId, id);
      if (!owner) throw notFound('payout', id);
      const { id: payoutId, programId, partnerId, currency } = owner;
      const ofFiles = status === 'canceled' ? [claimKeys.payoutFiles(accountId)] : [];
      await tx.claim(() => [...ofFiles, claimKeys.payout(partnerId, currency)]);
      const payout = await getOwnPayout(tx, accountId, payoutId);
      if (status === 'canceled') await requireNoLiveFile(tx, payoutId);
      await check?.(tx, payout);
      if (endTransfer) await endTransfer(tx, payoutId);
      else await endTransferAs(tx, { payoutId, status, endedAt: now });
      const end = { id: payoutId, status, endedAt: now, endedBy: actorName(actor), note: note || payout.note };
      const contained = await endPayout(tx, end);
      if (!contained) throw wrongState(status, id, payout.status);
      // locked before the daily sums, also if nothing is added, as all units do that change these sums
      const added = status === 'paid' ? { amount: 0, entryCount: 0 } : contained;
      await addToQueuedPayout(tx, { accountId, programId, partnerId, currency, createdAt: now }, added);
      await moveDays(tx, { id: payoutId, partnerId, currency }, status === 'paid' ? 'paid' : 'open');
      await settleEntries(tx, payoutId, { status, settlingAfter: '' });
      const after = asPayout(await getOwnPayout(tx, accountId, payoutId));
      noteChange(tx, { resourceId: payoutId, before: asPayout(payout), after });
      await recordEvent(tx, { accountId, type: EVENT_OF[status], occurredAt: now, data: () => after });
      return after;
    },
    { alone: true },
  );
}

/** The payout in this unit of work, which has found its owner. */
async function getOwnPayout(tx: Transaction, accountId: AccountId, id: PayoutId): Promise<PayoutView> {
  const payout = await findPayout(tx, accountId, id);
  if (!payout) throw new Error(`Payout ${id} has an owner but was not found`);
  return payout;
}

/** Ends a transfer that was held, in the way in which somebody ends its payout. One that is under way ends by itself. */
async function endTransferAs(
  tx: Transaction,
  { payoutId, status, endedAt }: { payoutId: PayoutId; status: PayoutEnd; endedAt: number },
): Promise<void> {
  const current = await findTransferStatus(tx, payoutId);
  if (current?.status === 'sending') {
    const message = `Payout ${payoutId} is being sent by ${RAIL_FORMS[current.rail].title}: wait until it is paid, failed or held`;
    throw new ServiceError('INVALID_STATE', message);
  }
  if (current?.status !== 'held' || status === 'canceled') return;
  const ended = await endHeldTransfer(tx, { payoutId, status: status === 'paid' ? 'sent' : 'failed', endedAt });
  if (ended > 0) return;
  const message = `The transfer of payout ${payoutId} is being looked for: wait until it is found, or held again`;
  throw new ServiceError('INVALID_STATE', message);
}

/** A bank that has the file would pay what the partner's next payout contains again. */
async function requireNoLiveFile(tx: Transaction, payoutId: PayoutId): Promise<void> {
  const fileId = await findLiveFile(tx, payoutId);
  if (fileId === null) return;
  const message = `Payout ${payoutId} is in the file ${fileId}: cancel that file first if it was not sent, or mark the payout as failed once the bank has refused it`;
  throw new ServiceError('INVALID_STATE', message);
}

function wrongState(end: PayoutEnd, id: string, status: PayoutStatus): ServiceError {
  if (status === 'held') {
    const message = `Payout ${id} is held, because it may have been paid: find out what became of its transfer, then mark it as paid or failed`;
    return new ServiceError('INVALID_STATE', message);
  }
  const problem = `Payout ${id} is ${status}; only a payout that is processing can become ${end}`;
  const advice = '. If its money came back, add an adjustment of its amount, which the next payout pays';
  return new ServiceError('INVALID_STATE', status === 'paid' && end === 'failed' ? problem + advice : problem);
}
