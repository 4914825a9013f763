import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { deleteImportErasure, findImportErasures, noteImportErasure } from './queries/erasure.ts';

/** Has what is told about rows of the account's imports deleted; the server does so soon (`exchange/jobs/erase.ts`). */
export async function startImportErasure(tx: Transaction, accountId: AccountId): Promise<void> {
  await noteImportErasure(tx, accountId);
}

/** The accounts in which it is still to be deleted, in any order. */
export function accountsToEraseFromImports(tx: Transaction): Promise<AccountId[]> {
  return findImportErasures(tx);
}

/** In the unit that has deleted it. */
export async function endImportErasure(tx: Transaction, accountId: AccountId): Promise<void> {
  await deleteImportErasure(tx, accountId);
}
