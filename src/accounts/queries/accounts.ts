import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

export interface AccountRow {
  id: AccountId;
  name: string;
  created_at: number;
}

/** Adds an account with a new id. */
export async function insertAccount(tx: Transaction, account: AccountRow): Promise<void> {
  await tx.run('INSERT INTO accounts (id, name, created_at) VALUES (@id, @name, @created_at)', { ...account });
}

/** Every account, oldest first. */
export function findAccounts(tx: Transaction): Promise<AccountRow[]> {
  return tx.all<AccountRow>('SELECT id, name, created_at FROM accounts ORDER BY id');
}
