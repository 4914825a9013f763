import type { SourceItem } from '../../moved/facts.ts';
import type { Query, SourceClient } from '../client.ts';
import type { Source } from '../contract.ts';
import { SOURCE_FORMS } from '../forms.ts';
import { byPageNumber, PAGE_SIZE } from '../pages.ts';
import { itemsOf, listIn, recordsOf } from '../records.ts';
import {
  commissionItems,
  customerItems,
  HIDDEN_STATUSES,
  LEFT_OUT,
  type Payouts,
  PROGRAM,
  partnerItems,
  readPayout,
  recordIdOf,
} from './map.ts';

/** https://dub.co/docs/api-reference */
export const dub: Source = {
  ...SOURCE_FORMS.dub,
  limit: { requests: 60, perMs: 60_000 },
  headersFor: ({ key = '' }) => ({ authorization: `Bearer ${key}` }),
  read,
};

async function* read(client: SourceClient): AsyncGenerator<SourceItem> {
  yield PROGRAM;
  // by default, partners are sorted by sales, of which many have none: pages would repeat some and lose others
  const oldestFirst = { sortBy: 'createdAt', sortOrder: 'asc' };
  const partners = byPageNumber(client, '/partners', { sizeName: 'pageSize', filter: oldestFirst });
  const partnerIds: string[] = [];
  for await (const item of itemsOf('partner', partners, partnerItems)) {
    if (item.kind === 'partner') partnerIds.push(item.id);
    yield item;
  }
  yield* itemsOf('customer', byCursor(client, '/customers', { includeExpandedFields: 'true' }), customerItems);
  const payouts: Payouts = { paid: [], underway: [], ofCommission: new Map() };
  yield* itemsOf('payout', await payoutsOf(client, partnerIds), (record) => readPayout(record, payouts));
  // a commission does not say which payout it is in
  for (const payout of [...payouts.paid, ...payouts.underway]) {
    for await (const commission of byCursor(client, '/commissions', { payoutId: payout.id })) {
      payouts.ofCommission.set(recordIdOf(commission), payout);
    }
  }
  for (const filter of [{}, ...HIDDEN_STATUSES.map((status) => ({ status }))]) {
    const commissions = byCursor(client, '/commissions', filter);
    yield* itemsOf('commission', commissions, (record) => commissionItems(record, payouts.ofCommission));
  }
  yield* payouts.paid;
  yield* LEFT_OUT;
}

/**
 * All payouts. They can only be sorted by what many have in common, such as the amount, so pages may repeat some and lose
 * others; what a lost one pays would be open here, too. Those of one partner mostly fit into a page, but need more requests.
 */
async function payoutsOf(client: SourceClient, partnerIds: readonly string[]): Promise<unknown[]> {
  const found: unknown[] = [];
  const read = async (filter: Query) => {
    for await (const payout of byPageNumber(client, '/payouts', { sizeName: 'pageSize', filter })) found.push(payout);
  };
  await read({});
  if (new Set(found.map(recordIdOf)).size === found.length) return found;
  found.length = 0;
  for (const partnerId of partnerIds) await read({ partnerId });
  return found;
}

/**
 * A list of any length: Dub refuses high page numbers. A cursor reads in the order of ids, and a list without one in that
 * of times, which imports into Dub set to the past. So both sides of any one record are read, unless one page has all.
 */
async function* byCursor(client: SourceClient, path: string, filter: Query): AsyncGenerator<unknown> {
  const rows = listIn(await client.get(path, { ...filter, pageSize: PAGE_SIZE }));
  const [first] = rows;
  if (first === undefined || rows.length < PAGE_SIZE) {
    yield* rows;
    return;
  }
  yield first;
  const id = recordIdOf(first);
  yield* fromCursor({ ...filter, endingBefore: id }, (rows) => ({ endingBefore: recordIdOf(rows[0]) }));
  yield* fromCursor({ ...filter, startingAfter: id }, (rows) => ({ startingAfter: recordIdOf(rows.at(-1)) }));

  function fromCursor(query: Query, next: (rows: readonly unknown[]) => Query) {
    return recordsOf(
      { ...query, pageSize: PAGE_SIZE },
      (page) => client.get(path, page),
      (answer, page) => {
        const rows = listIn(answer);
        return { rows, next: rows.length < PAGE_SIZE ? null : { ...page, ...next(rows) } };
      },
    );
  }
}
