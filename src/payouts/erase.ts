import { claimKeys } from '../app/claims.ts';
import type { AccountId, PartnerId } from '../core/ids.ts';
import { formatMoney } from '../core/money.ts';
import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { eraseFilesOf } from './queries/files.ts';
import { eraseTransfersTo, isSendingTo } from './queries/owned-transfers.ts';
import { isCollecting, sumUnderWay } from './queries/payouts.ts';

/**
 * Removes the content of the files that contain the partner's account, also of one that is being made, and the account in
 * transfers. The payouts stay as they are.
 *
 * @throws ServiceError `INVALID_STATE` while a payout is under way, or an interrupted run has not finished one: a debt of
 * the same amount may hide either in what the partner is owed
 */
export async function erasePaymentsOfPartner(
  tx: Transaction,
  accountId: AccountId,
  partnerId: PartnerId,
): Promise<void> {
  await tx.claim(() => [claimKeys.payoutFiles(accountId)]);
  const underWay = await sumUnderWay(tx, partnerId);
  if (underWay.length > 0) {
    const amounts = underWay.map(({ amount, currency }) => formatMoney(amount, currency));
    const advice = (await isSendingTo(tx, partnerId))
      ? 'wait until it is paid, failed or held'
      : 'record whether it was paid';
    const message = `${amounts.join(' and ')} is on its way to ${partnerId}: ${advice}, then erase`;
    throw new ServiceError('INVALID_STATE', message);
  }
  if (await isCollecting(tx, partnerId)) {
    const message = `A run that was interrupted has begun a payout to ${partnerId}: run payouts again to finish it, then erase`;
    throw new ServiceError('INVALID_STATE', message);
  }
  await eraseFilesOf(tx, partnerId);
  await eraseTransfersTo(tx, partnerId);
}
