import type { AccountId } from '../../core/ids.ts';
import { ServiceError } from '../../errors.ts';
import type { Transaction } from '../../storage/database.ts';
import { type ClickOwner, findOwnerByClick } from '../queries/owners.ts';

/**
 * The partner, program and link of a click.
 *
 * @throws ServiceError `INVALID_CLICK_ID` when the account has no such click
 */
export async function requireClick(tx: Transaction, accountId: AccountId, clickId: string): Promise<ClickOwner> {
  const owner = await findOwnerByClick(tx, accountId, clickId);
  if (owner) return owner;
  throw new ServiceError(
    'INVALID_CLICK_ID',
    `clickId ${JSON.stringify(clickId)} matches no recorded click of this account: send the value of the svc_id cookie`,
  );
}
