import { randomUUID } from 'node:crypto';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { notFound } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { FORMAT_VERSION, type Manifest } from './manifest.ts';
import { rowsOf } from './queries/walk.ts';
import { LEFT_OUT } from './tables.ts';

/** The manifest of an export before anything is written. @throws ServiceError `NOT_FOUND` without such an account */
export async function beginManifest(
  { database, clock }: Pick<Service, 'database' | 'clock'>,
  tx: Transaction,
  accountId: AccountId,
  programVersion: string,
): Promise<Manifest> {
  const [account] = (await rowsOf.accounts?.(tx, { accountId, after: { id: '' }, limit: 1 })) ?? [];
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
