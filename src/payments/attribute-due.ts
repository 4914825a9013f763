import { forEachAccount } from '../app/each-account.ts';
import { endScan, findScan, findScannedAccounts } from '../app/scans.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PaymentId } from '../core/ids.ts';
import { isTemporary } from '../errors.ts';
import { attributeDue } from './backfill.ts';
import { ATTRIBUTED_PER_UNIT } from './due.ts';
import { findDue, findFailed, markFailed } from './queries/parked-hints.ts';

const JOB = 'attribute payments';

/**
 * Attributes the parked payments whose person is known now and that were too many for one unit of work (`backfill.ts`),
 * the earliest first, in slices, so that other requests go on. Resumes after a restart. Stops early when the service
 * stops.
 */
export async function attributeDuePayments(service: Service): Promise<void> {
  const accountIds = await service.database.read((tx) => findScannedAccounts(tx, JOB));
  await forEachAccount(service, accountIds, (accountId) => attributeDueOf(service, accountId));
}

async function attributeDueOf(service: Service, accountId: AccountId): Promise<void> {
  const { database, lifecycle } = service;
  while (!lifecycle.draining) {
    const scan = await database.read((tx) => findScan(tx, JOB, accountId));
    if (scan === undefined) return;
    const paymentIds = await database.read((tx) => findDue(tx, accountId, ATTRIBUTED_PER_UNIT));
    if (paymentIds.length > 0) await attributeSlice(service, accountId, paymentIds);
    else await database.write((tx) => endScan(tx, JOB, scan), { alone: true });
  }
}

async function attributeSlice(service: Service, accountId: AccountId, paymentIds: readonly PaymentId[]): Promise<void> {
  const { database, clock, log } = service;
  // one that is tried alone may lead to those that fail
  const attributedMax = paymentIds.length === 1 ? 1 : ATTRIBUTED_PER_UNIT;
  try {
    await database.write((tx) => attributeDue(tx, { accountId, now: clock() }, paymentIds, attributedMax), {
      alone: true,
    });
  } catch (error) {
    if (isTemporary(error)) throw error;
    const [paymentId] = paymentIds;
    if (paymentIds.length === 1 && paymentId !== undefined) {
      log.warn({ accountId, paymentId, err: error }, 'a payment whose customer is known stays parked');
      await database.write((tx) => markFailed(tx, accountId, paymentId), { alone: true });
      return;
    }
    // so that one payment does not keep the others
    for (const id of paymentIds) await attributeSlice(service, accountId, [id]);
  }
}

/** Parked payments whose customer is known, but that failed to become sales; at most `limit`. */
export function findFailedPayments({ database }: Service, accountId: AccountId, limit: number): Promise<PaymentId[]> {
  return database.read((tx) => findFailed(tx, accountId, limit));
}
