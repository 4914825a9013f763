import { claimKeys } from '../app/claims.ts';
import type { AccountId, PartnerId } from '../core/ids.ts';
import { formatMoney } from '../core/money.ts';
import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { eraseFilesOf } from './queries/files.ts';
import { isCollecting, sumProcessing } from './queries/payouts.ts';

/**
 * Removes the content of the files that contain the partner's account, also of one that is being made. The payouts in the
 * files stay as they are.
 *
 * @throws ServiceError `INVALID_STATE` while a payout is processing, or an interrupted run has not finished one: a debt of
 * the same amount may hide either in what the partner is owed
 */
export async function eraseFilesOfPartner(tx: Transaction, accountId: AccountId, partnerId: PartnerId): Promise<void> {
  await tx.claim(() => [claimKeys.payoutFiles(accountId)]);
  const underWay = await sumProcessing(tx, partnerId);
  if (underWay.length > 0) {
    const amounts = underWay.map(({ amount, currency }) => formatMoney(amount, currency));
    const message = `${amounts.join(' and ')} is on its way to ${partnerId}: record whether it was paid, then erase`;
    throw new ServiceError('INVALID_STATE', message);
  }
  if (await isCollecting(tx, partnerId)) {
    const message = `A run that was interrupted has begun a payout to ${partnerId}: run payouts again to finish it, then erase`;
    throw new ServiceError('INVALID_STATE', message);
  }
  await eraseFilesOf(tx, partnerId);
}
