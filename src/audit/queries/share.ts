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

/** How many partners, links and payouts an account has, which fingerprints number. */
export async function countNumbered(tx: Transaction, accountId: AccountId): Promise<number> {
  const found = await tx.get<{ count: number }>(
    `SELECT (SELECT COUNT(*) FROM partners p WHERE p.account_id = @accountId AND p.id > '')
       + (SELECT COUNT(*) FROM links l WHERE l.account_id = @accountId AND l.id > '')
       + (SELECT COUNT(*) FROM payouts q WHERE q.account_id = @accountId AND q.id > '') AS count`,
    { accountId },
  );
  return found?.count ?? 0;
}
