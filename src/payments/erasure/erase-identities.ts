import { setTimeout as sleep } from 'node:timers/promises';
import { forEachAccount } from '../../app/each-account.ts';
import { markOf, markOfProcessorId } from '../../app/person-marks.ts';
import { endScan, findScan, findScannedAccounts, moveScan, restartScan } from '../../app/scans.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { addMark, findMarked, isMarked } from '../../inbox/marks.ts';
import type { Transaction } from '../../storage/database.ts';
import { isCustomersAddress } from '../queries/customers.ts';
import {
  eraseIdentity,
  FIRST_PLACE,
  findIdentityPart,
  type IdentityPlace,
  ERASURE_JOB as JOB,
} from '../queries/erasure.ts';
import { findEmailHints } from '../queries/parked-naming.ts';
import { eraseReported } from './erase.ts';
import { ROWS_PER_UNIT } from './person-record.ts';

const IDS_PER_UNIT = 500;
const PAUSE_MS = 20;

/**
 * Erases the names of erased persons from processors' ids that belong to no customer, and from unattributed payments.
 * Both can only be found by their e-mail address. Scans all of them once after each erasure, resumes after a restart,
 * and stops early when the service stops.
 */
export async function eraseMentionedIdentities(service: Service): Promise<void> {
  const accountIds = await service.database.read((tx) => findScannedAccounts(tx, JOB));
  await forEachAccount(service, accountIds, (accountId) => sweep(service, accountId));
}

/**
 * Restarts the scan of an imported account, if it has one: its position is of the exported database, which may sort ids
 * by another collation.
 */
export async function restartImportedScan(tx: Transaction, accountId: AccountId): Promise<void> {
  const scan = await findScan(tx, JOB, accountId);
  if (scan !== undefined) await restartScan(tx, JOB, accountId, JSON.stringify(FIRST_PLACE));
}

async function sweep(service: Service, accountId: AccountId): Promise<void> {
  const { database, lifecycle, clock } = service;
  while (!lifecycle.draining) {
    const scan = await database.read((tx) => findScan(tx, JOB, accountId));
    if (scan === undefined) return;
    const after: IdentityPlace = JSON.parse(scan.lastId);
    const part = await database.report((tx) => findIdentityPart(tx, accountId, after, IDS_PER_UNIT));
    const last = part.at(-1);
    if (last === undefined && !(await eraseMentionedParked(service, accountId))) return;
    const toId =
      last === undefined ? null : JSON.stringify({ processor: last.processor, kind: last.kind, value: last.value });
    const erase = async (tx: Transaction) => {
      const isOurs = toId === null ? await endScan(tx, JOB, scan) : await moveScan(tx, JOB, scan, toId);
      if (!isOurs) return false;
      for (const { email, ...place } of part) {
        if (email === null || !(await isMarked(tx, accountId, markOf(accountId, 'email', email)))) continue;
        await eraseIdentity(tx, accountId, place);
        await addMark(tx, accountId, markOfProcessorId(accountId, place), clock());
      }
      return true;
    };
    const isMoved = await database.write(erase, { alone: true });
    if (isMoved && toId === null) return;
    await sleep(PAUSE_MS);
  }
}

/**
 * Erases unattributed payments that have an erased address, as earlier versions stored them after an erasure. An address
 * that a customer has again stays. Returns false when the service stops first.
 */
async function eraseMentionedParked({ database, lifecycle }: Service, accountId: AccountId): Promise<boolean> {
  let after = { value: '', paymentId: '' };
  while (!lifecycle.draining) {
    const part = await database.report((tx) => findEmailHints(tx, accountId, after, IDS_PER_UNIT));
    const last = part.at(-1);
    if (last === undefined) return true;
    after = last;
    const marks = part.map(({ value }) => markOf(accountId, 'email', value));
    const marked = await database.report((tx) => findMarked(tx, accountId, [...new Set(marks)]));
    const mentioning = part.filter(({ value }) => marked.has(markOf(accountId, 'email', value)));
    for (let start = 0; start < mentioning.length; start += ROWS_PER_UNIT) {
      const slice = mentioning.slice(start, start + ROWS_PER_UNIT);
      const erase = async (tx: Transaction) => {
        for (const { value, paymentId } of slice) {
          if (!(await isCustomersAddress(tx, accountId, value))) await eraseReported(tx, accountId, paymentId);
        }
      };
      await database.write(erase, { alone: true });
    }
    await sleep(PAUSE_MS);
  }
  return false;
}
