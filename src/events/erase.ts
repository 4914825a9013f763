import { setTimeout as sleep } from 'node:timers/promises';
import { forEachAccount } from '../app/each-account.ts';
import { type Mark, withoutMentions } from '../app/person-marks.ts';
import { createScanMarks, endScan, findScan, findScannedAccounts, moveScan, restartScan } from '../app/scans.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { findEventPart, replaceBody } from './queries/erasure.ts';

const JOB = 'erase persons in events';
const EVENTS_PER_UNIT = 200;
const PAUSE_MS = 20;

/** Schedules a scan of the account's events for persons who were erased. The server runs it soon. */
export async function restartEventErasure(tx: Transaction, accountId: AccountId): Promise<void> {
  await restartScan(tx, JOB, accountId, '');
}

/**
 * Erases marked persons from events, sent or not, once after each erasure. Resumes after a restart, and stops early
 * when the service stops. Events stored later never name an erased person.
 */
export async function eraseFromStoredEvents(
  service: Service,
  marksOf: (accountId: AccountId) => Promise<ReadonlySet<Mark>>,
): Promise<void> {
  const accountIds = await service.database.read((tx) => findScannedAccounts(tx, JOB));
  await forEachAccount(service, accountIds, (accountId) => sweep(service, accountId, () => marksOf(accountId)));
}

async function sweep(
  { database, lifecycle }: Service,
  accountId: AccountId,
  readMarks: () => Promise<ReadonlySet<Mark>>,
): Promise<void> {
  const marksAt = createScanMarks(readMarks);
  while (!lifecycle.draining) {
    const scan = await database.read((tx) => findScan(tx, JOB, accountId));
    if (scan === undefined) return;
    const marks = await marksAt(scan);
    const part = await database.report((tx) => findEventPart(tx, accountId, scan.lastId, EVENTS_PER_UNIT));
    const changed = part
      .map(({ id, body }) => ({ id, before: body, body: withoutMentions(accountId, body, marks) }))
      .filter(({ before, body }) => before !== body);
    const erase = async (tx: Transaction) => {
      const toId = part.at(-1)?.id ?? null;
      if (!(toId === null ? await endScan(tx, JOB, scan) : await moveScan(tx, JOB, scan, toId))) return;
      for (const { id, body } of changed) await replaceBody(tx, accountId, { id, body });
    };
    await database.write(erase, { alone: true });
    await sleep(PAUSE_MS);
  }
}
