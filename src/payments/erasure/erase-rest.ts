import { claimKeys } from '../../app/claims.ts';
import { forEachAccount } from '../../app/each-account.ts';
import { endScan, findScan, findScannedAccounts, moveScan } from '../../app/scans.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId, CustomerId } from '../../core/ids.ts';
import type { ClaimKey, Transaction } from '../../storage/database.ts';
import { findCustomer } from '../queries/customers.ts';
import { findSalesOf, type SalePlace } from '../queries/erasure.ts';
import { findUnassigned } from '../queries/identities.ts';
import { isParkedUnder } from '../queries/parked-naming.ts';
import { deleteToErase, findToErase, type ToErase } from '../queries/parked-to-erase.ts';
import type { Payment } from '../queries/payments.ts';
import type { Scope } from '../scope.ts';
import { keysOfPerson } from './claim-person.ts';
import { eraseLater } from './erase.ts';
import { findParkedOf, isPaidBy, nameOfOwner, nameOfPerson } from './parked-of-person.ts';
import { type PersonRecord, ROWS_PER_UNIT, recordOfRest } from './person-record.ts';
import { extendRest, nextIn, PARKED, REST_JOB, type RestOwner, type RestPlace } from './rest-places.ts';

/** Finishes the erasures that were interrupted, or that a webhook has begun. Stops early when the service stops. */
export async function eraseRemaining(service: Service): Promise<void> {
  const accountIds = await service.database.read((tx) => findScannedAccounts(tx, REST_JOB));
  await forEachAccount(service, accountIds, async (accountId) => {
    await eraseRest(service, accountId);
  });
}

/**
 * Erases the sales and parked payments that erased persons of the account have beyond those of the first unit of work, in
 * slices, so that other requests go on. Resumes after a restart. Returns false when the service stops first.
 *
 * @param owner of what is erased; null for everything
 */
export async function eraseRest(
  service: Service,
  accountId: AccountId,
  owner: RestOwner | null = null,
): Promise<boolean> {
  const { database, lifecycle, clock } = service;
  while (!lifecycle.draining) {
    const scan = await database.read((tx) => findScan(tx, REST_JOB, accountId));
    const { place, others } = nextIn(scan, owner);
    if (scan === undefined || place === undefined) return true;
    const slice = await database.report((tx) => readSlice(tx, accountId, place));
    const erase = async (tx: Transaction) => {
      // before the scan is locked, because others claim payments and then extend it
      await tx.claim(() => slice.keys);
      const isOurs = others === '' ? endScan(tx, REST_JOB, scan) : moveScan(tx, REST_JOB, scan, others);
      if (!(await isOurs)) return;
      const scope = { accountId, now: clock() };
      if (place === PARKED) await eraseMarked(tx, scope, slice.marked);
      else await eraseLater(tx, scope, await readSales(tx, place));
    };
    await database.write(erase, { alone: true });
  }
  return false;
}

/** The keys to claim for a slice, and its marks, if it is of parked payments. */
async function readSlice(
  tx: Transaction,
  accountId: AccountId,
  place: RestPlace,
): Promise<{ keys: ClaimKey[]; marked: ToErase[] }> {
  if (place !== PARKED) return { keys: keysOfPerson(accountId, await readSales(tx, place)), marked: [] };
  const marked = await findToErase(tx, accountId, ROWS_PER_UNIT);
  return { keys: marked.map(({ paymentId }) => claimKeys.payment(paymentId)), marked };
}

async function readSales(tx: Transaction, place: SalePlace): Promise<PersonRecord> {
  return recordOfRest(await findSalesOf(tx, place, ROWS_PER_UNIT));
}

/** Erases parked payments that are marked, and notes whether there are more, also of what was merged since they were read. */
async function eraseMarked(tx: Transaction, scope: Scope, marked: readonly ToErase[]): Promise<void> {
  const { accountId } = scope;
  const parked: Payment[] = [];
  for (const [externalId, marks] of Map.groupBy(marked, (mark) => mark.externalId)) {
    const ids = [...new Set(marks.map(({ paymentId }) => paymentId))];
    const payments = await findParkedOf(tx, accountId, ids);
    parked.push(...(externalId === '' ? payments : await paidBy(tx, accountId, externalId, payments)));
    for (const mark of marks) await deleteToErase(tx, accountId, mark);
  }
  await eraseLater(tx, scope, recordOfRest({ parked }));
  const left = await findToErase(tx, accountId, 1);
  if (left.length > 0) await extendRest(tx, accountId, [PARKED]);
}

async function paidBy(
  tx: Transaction,
  accountId: AccountId,
  externalId: string,
  payments: readonly Payment[],
): Promise<Payment[]> {
  const identities = await findUnassigned(tx, accountId, externalId);
  // of a guest, it is our id
  const customerId = (await findCustomer(tx, accountId, externalId))?.id ?? (externalId as CustomerId);
  const names = [nameOfPerson(externalId), nameOfOwner(customerId, externalId)];
  const paid: Payment[] = [];
  for (const payment of payments) {
    const indexed = await Promise.all(names.map(({ hint }) => isParkedUnder(tx, accountId, hint, payment.id)));
    if (isPaidBy(externalId, identities, indexed.includes(true), payment)) paid.push(payment);
  }
  return paid;
}
