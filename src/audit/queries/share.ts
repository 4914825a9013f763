import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';

/** Whether an account has at least `count` ledger entries. */
export async function hasEntries(tx: Transaction, accountId: AccountId, count: number): Promise<boolean> {
  const found = await tx.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM (
       SELECT e.id FROM ledger_entries e WHERE e.account_id = @accountId AND e.id > '' ORDER BY e.id LIMIT @count) g`,
    { accountId, count },
  );
  return (found?.count ?? 0) >= count;
}
