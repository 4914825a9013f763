import type { Service } from '../app/service.ts';
import { type AccountId, FIRST_ID, LAST_ID } from '../core/ids.ts';
import type { Joins } from '../storage/database.ts';
import { withAuditDeadline } from './deadline.ts';
import { joinsFor } from './joins.ts';
import { findEndOfSales } from './queries/ledger.ts';

/**
 * Looked up, a part takes about a second, so that threads finish at nearly the same time. Joined as a whole, all sales
 * and entries may be read again for each part, so nearly every account is a single one.
 */
const SALES_PER_PART = { each: 300_000, whole: 2_000_000 } satisfies Record<Joins, number>;

/** The `count` sales of an account with ids above `afterId`, up to and including `lastId`. */
export interface SalesPart {
  afterId: string;
  lastId: string;
  count: number;
  joins: Joins;
}

/** True if the account has `many` sales or more. */
export async function hasManySales(
  service: Pick<Service, 'database'>,
  accountId: AccountId,
  many: number,
): Promise<boolean> {
  const range = { accountId, afterId: FIRST_ID, lastId: LAST_ID };
  const { count } = await withAuditDeadline(service.database).report((tx) => findEndOfSales(tx, range, many));
  return count >= many;
}

/** Divides the sales of an account into parts that can be checked separately; together, the parts cover all ids. */
export async function divideSales(
  service: Pick<Service, 'database'>,
  accountId: AccountId,
  perPart?: number,
): Promise<SalesPart[]> {
  const database = withAuditDeadline(service.database);
  const joins = await joinsFor(database, accountId);
  const limit = perPart ?? SALES_PER_PART[joins];
  const rest = { lastId: LAST_ID, count: 0, joins };
  const parts: SalesPart[] = [{ afterId: FIRST_ID, ...rest }];
  for (;;) {
    const last = parts.at(-1) as SalesPart;
    const range = { accountId, afterId: last.afterId, lastId: LAST_ID };
    const { lastId, count } = await database.report((tx) => findEndOfSales(tx, range, limit));
    last.count = count;
    if (lastId === null || count < limit) return parts;
    last.lastId = lastId;
    parts.push({ afterId: lastId, ...rest });
  }
}
