import { z } from 'zod';
import { claimKeys } from '../app/claims.ts';
import { freeText, optional, parseInput } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import type { PayoutEnd } from '../core/payout.ts';
import { notFound, ServiceError } from '../errors.ts';
import { asPayout, type PayoutResource } from './list.ts';
import { findPayout } from './queries/list.ts';
import { endPayout, findPayoutOwner, releaseEntries } from './queries/payouts.ts';
import { queuePayout } from './queue.ts';

const endInput = z.object({ note: optional(freeText(500)) });

/**
 * Says how a payout that was being processed ended. The entries of one that failed or was canceled are open again and
 * go into the partner's next payout; that it had them stays on record.
 *
 * @param body `{note?}`: a bank's reference, or why it failed
 * @param by an API key's id, or where else the word came from
 * @throws ServiceError `VALIDATION_ERROR`, `NOT_FOUND`; `INVALID_STATE` unless it is processing
 */
export async function settlePayout(
  service: Service,
  accountId: string,
  id: string,
  end: PayoutEnd,
  body: unknown,
  by: string,
): Promise<PayoutResource> {
  const { note } = parseInput(endInput, body ?? {});
  const now = service.clock();
  return service.database.write(async (tx) => {
    const owner = await findPayoutOwner(tx, accountId, id);
    if (!owner) throw notFound('payout', id);
    const { programId, partnerId, currency } = owner;
    await tx.claim(() => [claimKeys.payout(partnerId, currency)]);
    if ((await endPayout(tx, { id, status: end, endedAt: now, endedBy: by, note: note || null })) === 0) {
      throw wrongState(end, id, (await findPayoutOwner(tx, accountId, id))?.status ?? owner.status);
    }
    if (end !== 'paid') {
      await releaseEntries(tx, id);
      await queuePayout(tx, { accountId, programId, partnerId, currency, createdAt: now });
    }
    const payout = await findPayout(tx, accountId, id);
    if (!payout) throw new Error(`Payout ${id} was ended and is missing`);
    return asPayout(payout);
  });
}

function wrongState(end: PayoutEnd, id: string, status: string): ServiceError {
  return new ServiceError(
    'INVALID_STATE',
    `Payout ${id} is ${status}; only a payout that is processing can become ${end}`,
  );
}
