import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { deleteImportErasure, findImportErasures, noteImportErasure } from '../queries/erasure.ts';

/**
 * Requests that the messages about rows of the account's imports be deleted. The server does so soon
 * (`exchange/jobs/erase.ts`).
 */
export async function startImportErasure(tx: Transaction, accountId: AccountId): Promise<void> {
  await noteImportErasure(tx, accountId);
}

/** The accounts whose messages are still to be deleted, in any order. */
export function accountsToEraseFromImports(tx: Transaction): Promise<AccountId[]> {
  return findImportErasures(tx);
}

/** Call in the unit that has deleted the messages. */
export async function endImportErasure(tx: Transaction, accountId: AccountId): Promise<void> {
  await deleteImportErasure(tx, accountId);
}
