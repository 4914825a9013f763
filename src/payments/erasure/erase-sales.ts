import { claimKeys } from '../../app/claims.ts';
import { forEachAccount } from '../../app/each-account.ts';
import { endScan, findScan, findScannedAccounts, moveScan } from '../../app/scans.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { SalePlace } from '../queries/erasure.ts';
import { erasePerson, keysOfSales } from './erase.ts';
import { readMoreSales } from './person-record.ts';

const JOB = 'erase sales';

/** Finishes the erasures that were interrupted, or that a webhook has begun. Stops early when the service stops. */
export async function eraseRemainingSales(service: Service): Promise<void> {
  const accountIds = await service.database.read((tx) => findScannedAccounts(tx, JOB));
  await forEachAccount(service, accountIds, async (accountId) => {
    await eraseSales(service, accountId);
  });
}

/**
 * Erases the sales that erased customers of the account have beyond those of the first unit of work, in slices, so that
 * other requests go on. Resumes after a restart. Returns false when the service stops first.
 */
export async function eraseSales(service: Service, accountId: AccountId): Promise<boolean> {
  const { database, lifecycle, clock } = service;
  while (!lifecycle.draining) {
    const scan = await database.read((tx) => findScan(tx, JOB, accountId));
    if (scan === undefined) return true;
    const [first = '', ...others] = scan.lastId.split(/(?<=\n)/);
    const place: SalePlace = JSON.parse(first);
    const { emails, sales } = await database.report((tx) => readMoreSales(tx, accountId, place));
    const erase = async (tx: Transaction) => {
      await tx.claim(() => [...emails.map((email) => claimKeys.email(accountId, email)), ...keysOfSales(sales)]);
      const isOurs = others.length === 0 ? endScan(tx, JOB, scan) : moveScan(tx, JOB, scan, others.join(''));
      if (await isOurs) await erasePerson(tx, { accountId, now: clock() }, await readMoreSales(tx, accountId, place));
    };
    await database.write(erase, { alone: true });
  }
  return false;
}
