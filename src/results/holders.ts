import type { AccountId, PartnerId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { findHolderIds } from './queries/days.ts';

/** Everyone who holds or held this link of the account. The link's leads and sales are among theirs. */
export function findHolders(tx: Transaction, accountId: AccountId, linkId: string): Promise<PartnerId[]> {
  return findHolderIds(tx, accountId, linkId);
}
