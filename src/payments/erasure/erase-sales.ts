import { claimKeys } from '../../app/claims.ts';
import { forEachAccount } from '../../app/each-account.ts';
import { endScan, findScan, findScannedAccounts, moveScan } from '../../app/scans.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId, CustomerId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { findSalesOf, type SalePlace } from '../queries/erasure.ts';
import { eraseLaterSales, keysOfSales } from './erase.ts';
import { recordOfSales, SALES_PER_UNIT } from './person-record.ts';

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
 *
 * @param customerId whose sales are erased; null for everybody's
 */
export async function eraseSales(
  service: Service,
  accountId: AccountId,
  customerId: CustomerId | null = null,
): Promise<boolean> {
  const { database, lifecycle, clock } = service;
  while (!lifecycle.draining) {
    const scan = await database.read((tx) => findScan(tx, JOB, accountId));
    const { place, others } = nextIn(scan?.lastId ?? '', customerId);
    if (scan === undefined || place === undefined) return true;
    const read = async (tx: Transaction) => findSalesOf(tx, place, SALES_PER_UNIT);
    const { emails, sales } = recordOfSales(await database.report(read));
    const erase = async (tx: Transaction) => {
      await tx.claim(() => [...emails.map((email) => claimKeys.email(accountId, email)), ...keysOfSales(sales)]);
      const isOurs = others === '' ? endScan(tx, JOB, scan) : moveScan(tx, JOB, scan, others);
      if (await isOurs) await eraseLaterSales(tx, { accountId, now: clock() }, await read(tx));
    };
    await database.write(erase, { alone: true });
  }
  return false;
}

/**
 * Takes the next place from a list of them, of that customer if there is one. Of several places of a customer, as of somebody
 * who was erased again in the meantime, takes the last, before which all others are.
 */
function nextIn(list: string, customerId: CustomerId | null): { place: SalePlace | undefined; others: string } {
  const lines = list.split(/(?<=\n)/).filter((line) => line !== '');
  const places = lines.map((line) => ({ line, place: JSON.parse(line) as SalePlace }));
  const nextId = customerId ?? places[0]?.place.customerId;
  const isNext = ({ place }: { place: SalePlace }) => place.customerId === nextId;
  const [last] = places.filter(isNext).sort((one, other) => byPlace(other.place, one.place));
  const others = places.filter((each) => !isNext(each)).map(({ line }) => line);
  return { place: last?.place, others: others.join('') };
}

function byPlace(one: SalePlace, other: SalePlace): number {
  return one.occurredAt - other.occurredAt || (one.saleId < other.saleId ? -1 : 1);
}
