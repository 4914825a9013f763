import type { AccountId } from '../core/ids.ts';
import type { Database, Joins } from '../storage/database.ts';
import { hasEntries } from './queries/share.ts';

/** A row that is looked up costs PostgreSQL about three times as much as one of a table that is read whole. */
const LOOK_UP_COST = 3;

/**
 * How the audits of an account join: on PostgreSQL `whole`, if it has a third of all ledger entries or more, or if there
 * are no statistics yet; otherwise `each`, so that the audits of many accounts do not read everything once for each.
 */
export async function joinsFor(database: Database, accountId: AccountId): Promise<Joins> {
  if (database.engine === 'sqlite') return 'each';
  const all = await database.estimateRows('ledger_entries');
  if (all === null) return 'whole';
  const third = Math.ceil(all / LOOK_UP_COST);
  return (await database.report((tx) => hasEntries(tx, accountId, third))) ? 'whole' : 'each';
}
