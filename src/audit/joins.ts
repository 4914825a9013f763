import { type AccountId, FIRST_ID } from '../core/ids.ts';
import type { Database, Joins } from '../storage/database.ts';
import { countNumbered, findEndOfEntries } from './queries/share.ts';

/** A row that is looked up costs PostgreSQL about three times as much as one of a table that is read whole. */
const LOOK_UP_COST = 3;
/** As many rows are compared in the time of ten that are read. */
const COMPARED = 160;
/** Read in half a second. A second audit waits for the connection, and gives up after five. */
const ENTRIES_PER_QUERY = 500_000;

/**
 * How the audits of an account join: on PostgreSQL `whole`, if it has a third of all ledger entries or more, or if there
 * are no statistics yet; otherwise `each`, so that the audits of many accounts do not read everything once for each.
 *
 * If an account has grown since the last statistics, PostgreSQL may compare each of its entries with each of its partners,
 * links and payouts. It is therefore also joined `whole` if that would take more than ten times as long.
 */
export async function joinsFor(
  database: Database,
  accountId: AccountId,
  entriesPerQuery = ENTRIES_PER_QUERY,
): Promise<Joins> {
  if (database.engine === 'sqlite') return 'each';
  const all = await database.estimateRows('ledger_entries');
  if (all === null) return 'whole';
  const numbered = await database.report((tx) => countNumbered(tx, accountId));
  const large = Math.ceil(all / Math.max(LOOK_UP_COST, numbered / COMPARED));
  let afterId: string = FIRST_ID;
  for (let left = large; left > 0; left -= entriesPerQuery) {
    const page = { afterId, limit: Math.min(left, entriesPerQuery) };
    const { lastId, count } = await database.report((tx) => findEndOfEntries(tx, accountId, page));
    if (lastId === null || count < page.limit) return 'each';
    afterId = lastId;
  }
  return 'whole';
}
