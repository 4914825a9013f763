import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { PageEnd } from './ledger.ts';

/** The end of the next page of an account's ledger entries. */
export async function findEndOfEntries(
  tx: Transaction,
  accountId: AccountId,
  page: { afterId: string; limit: number },
) {
  // an aggregate always has a row
  return (await tx.get<PageEnd>(
    `SELECT MAX(id) AS "lastId", COUNT(*) AS count FROM (
       SELECT e.id FROM ledger_entries e WHERE e.account_id = @accountId AND e.id > @afterId ORDER BY e.id LIMIT @limit) AS page`,
    { accountId, ...page },
  )) as PageEnd;
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
