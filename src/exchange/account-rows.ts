import { randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { notFound } from '../errors.ts';
import type { SqlParameters, Transaction } from '../storage/database.ts';
import { FORMAT_VERSION, type Manifest } from './manifest.ts';
import { rowsOf, type StoredRow } from './queries/walk.ts';
import { type ExchangedTable, LEFT_OUT } from './tables.ts';

type Page = (typeof rowsOf)[string];

/** The rows of an account in a table, in pages of at most `pageRowsMax`; other work takes its turn between two pages. */
export async function* pagesOf(
  tx: Transaction,
  accountId: AccountId,
  table: ExchangedTable,
  pageRowsMax = Number.POSITIVE_INFINITY,
): AsyncGenerator<StoredRow[]> {
  const page = rowsOf[table.name] as Page;
  const limit = Math.min(table.pageRows, pageRowsMax);
  for (let after: SqlParameters = table.key; ; ) {
    const rows = await page(tx, { accountId, after, limit });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < limit) return;
    after = Object.fromEntries(Object.keys(table.key).map((column) => [column, last[column] ?? null]));
    await yieldToEventLoop();
  }
}

/** What the manifest of an export says before anything is written. @throws ServiceError `NOT_FOUND` without such an account */
export async function beginManifest(
  { database, clock }: Pick<Service, 'database' | 'clock'>,
  tx: Transaction,
  accountId: AccountId,
  programVersion: string,
): Promise<Manifest> {
  const [account] = await (rowsOf.accounts as Page)(tx, { accountId, after: { id: '' }, limit: 1 });
  if (account === undefined) throw notFound('account', accountId);
  return {
    format: 'refbridge-export',
    formatVersion: FORMAT_VERSION,
    exportId: randomUUID(),
    schemaVersion: database.schemaVersion,
    programVersion,
    exportedAt: isoTime(clock()),
    engine: database.engine,
    account: { id: accountId, name: String(account.name) },
    rows: 0,
    tables: [],
    csv: [],
    leftOut: { ...LEFT_OUT },
  };
}
