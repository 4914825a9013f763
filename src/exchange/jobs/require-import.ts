import type { AccountId } from '../../core/ids.ts';
import { notFound } from '../../errors.ts';
import type { Transaction } from '../../storage/database.ts';
import { findImport, type ImportRow } from '../queries/imports.ts';

/** @throws ServiceError `NOT_FOUND` */
export async function requireImport(tx: Transaction, accountId: AccountId, id: string): Promise<ImportRow> {
  const row = await findImport(tx, accountId, id);
  if (row === undefined) throw notFound('import', id);
  return row;
}
