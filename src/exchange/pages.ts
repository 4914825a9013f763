import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AccountId } from '../core/ids.ts';
import type { SqlParameters, Transaction } from '../storage/database.ts';
import { parentsOf, rowsBetween, rowsOf, type StoredRow, sizesOf, slicesOf } from './queries/walk.ts';
import type { ExchangedTable } from './tables.ts';

/** The bytes of a large column in one page; a single row may have more. */
const PAGE_BYTES_MAX = 256 * 1024;
/** Rows of any account that one query scans when no index finds the account. */
const SLICE_ROWS = 2_000;
/** Parents whose rows one query counts. */
const PARENTS_PER_QUERY = 100;

interface Walk {
  tx: Transaction;
  accountId: AccountId;
  table: ExchangedTable;
  /** Rows in a page. */
  limit: number;
}

/**
 * The rows of an account in a table, in the order of its key and in pages of at most `pageRowsMax`. Other work gets its
 * turn between two queries, and no query scans more than a few thousand rows, however many other accounts have.
 */
export async function* pagesOf(
  tx: Transaction,
  accountId: AccountId,
  table: ExchangedTable,
  pageRowsMax = Number.POSITIVE_INFINITY,
): AsyncGenerator<StoredRow[]> {
  const walk: Walk = { tx, accountId, table, limit: Math.min(table.pageRows, pageRowsMax) };
  for await (const rows of walkOf(walk)) {
    if (rows.length > 0) yield rows;
    await yieldToEventLoop();
  }
}

function walkOf(walk: Walk): AsyncGenerator<StoredRow[]> {
  switch (walk.table.scope.by) {
    case 'parent':
      return byParents(walk, walk.table.scope.tables);
    case 'account, unindexed':
      return bySlices(walk);
    default:
      return byKey(walk, walk.table.key);
  }
}

/** The rows after a key. */
async function* byKey(walk: Walk, first: SqlParameters, upTo?: string): AsyncGenerator<StoredRow[]> {
  const { tx, accountId, table } = walk;
  for (let after = first; ; ) {
    const limit = await limitAfter(walk, after);
    const rows = await queryOf(rowsOf, table.name)(tx, {
      accountId,
      after,
      limit,
      ...(upTo !== undefined && { upTo }),
    });
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) return;
    after = Object.fromEntries(Object.keys(table.key).map((column) => [column, last[column] ?? null]));
  }
}

/** How many of the next rows fit into a page, at least one. */
async function limitAfter({ tx, accountId, table, limit }: Walk, after: SqlParameters): Promise<number> {
  if (table.largeColumn === null) return limit;
  const sizes = await queryOf(sizesOf, table.name)(tx, { accountId, after, limit });
  let bytes = 0;
  const fitting = sizes.findIndex((size) => {
    bytes += size.bytes;
    return bytes > PAGE_BYTES_MAX;
  });
  return fitting === -1 ? limit : Math.max(fitting, 1);
}

/** The account's rows among those of all accounts. */
async function* bySlices(walk: Walk): AsyncGenerator<StoredRow[]> {
  const { tx, table } = walk;
  const [column = ''] = Object.keys(table.key);
  for (let afterKey = ''; ; ) {
    const [slice] = await queryOf(slicesOf, table.name)(tx, { afterKey, limit: SLICE_ROWS });
    if (slice === undefined || slice.lastKey === null) return;
    yield* byKey(walk, { [column]: afterKey }, slice.lastKey);
    if (slice.count < SLICE_ROWS) return;
    afterKey = slice.lastKey;
  }
}

/**
 * The rows of the account's parents: those of several parents with few rows at once, those of one parent with many in
 * pages.
 */
async function* byParents(walk: Walk, tables: readonly string[]): AsyncGenerator<StoredRow[]> {
  const { tx, accountId, table, limit } = walk;
  const [column = ''] = Object.keys(table.key);
  for (const parents of tables) {
    const name = `${table.name} of ${parents}`;
    for (let afterId: string | undefined = ''; afterId !== undefined; ) {
      const range = { accountId, afterId, parentsMax: PARENTS_PER_QUERY, limit };
      const counted = await queryOf(parentsOf, name)(tx, range);
      yield [];
      for (const { firstId, lastId, count } of groupsOf(counted, limit)) {
        if (count < limit) yield await queryOf(rowsBetween, name)(tx, { accountId, firstId, lastId });
        else yield* byKey(walk, { ...table.key, [column]: firstId });
      }
      afterId = counted.length < PARENTS_PER_QUERY ? undefined : counted.at(-1)?.id;
    }
  }
}

interface Group {
  firstId: string;
  lastId: string;
  /** The rows of all parents in the group; `limit` for one parent with as many or more. */
  count: number;
}

/** Consecutive parents that together have fewer than `limit` rows; a parent with that many is a group by itself. */
function groupsOf(parents: readonly { id: string; count: number }[], limit: number): Group[] {
  const groups: Group[] = [];
  for (const { id, count } of parents) {
    const group = groups.at(-1);
    if (count === 0) continue;
    if (group !== undefined && group.count + count < limit) {
      group.lastId = id;
      group.count += count;
    } else groups.push({ firstId: id, lastId: id, count });
  }
  return groups;
}

function queryOf<Query>(queries: Readonly<Record<string, Query>>, name: string): Query {
  const query = queries[name];
  if (query === undefined) throw new Error(`There is no query for ${name}`);
  return query;
}
