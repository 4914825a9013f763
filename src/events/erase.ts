import { setTimeout as sleep } from 'node:timers/promises';
import { type Mark, withoutMentions } from '../app/person-marks.ts';
import { createScanMarks } from '../app/scan-marks.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { endSweep, findEventPart, findSweeps, moveSweep, replaceBody, restartSweep } from './queries/erasure.ts';

const EVENTS_PER_UNIT = 200;
const PAUSE_MS = 20;

/** Schedules a scan of the account's events for persons who were erased. The server runs it soon. */
export async function restartEventErasure(tx: Transaction, accountId: AccountId): Promise<void> {
  await restartSweep(tx, accountId);
}

/**
 * Erases marked persons from events, sent or not, once after each erasure. Resumes after a restart, and stops early
 * when the service stops. Events stored later never name an erased person.
 */
export async function eraseFromStoredEvents(
  { database, lifecycle }: Service,
  marksOf: (accountId: AccountId) => Promise<ReadonlySet<Mark>>,
): Promise<void> {
  for (const { accountId } of await database.read(findSweeps)) {
    const marksAt = createScanMarks(() => marksOf(accountId));
    while (!lifecycle.draining) {
      const sweep = (await database.read(findSweeps)).find((one) => one.accountId === accountId);
      if (sweep === undefined) break;
      const marks = await marksAt(sweep);
      const part = await database.report((tx) => findEventPart(tx, accountId, sweep.lastId, EVENTS_PER_UNIT));
      const changed = part
        .map(({ id, body }) => ({ id, before: body, body: withoutMentions(accountId, body, marks) }))
        .filter(({ before, body }) => before !== body);
      const erase = async (tx: Transaction) => {
        const toId = part.at(-1)?.id ?? null;
        if (!(toId === null ? await endSweep(tx, sweep) : await moveSweep(tx, sweep, toId))) return;
        for (const { id, body } of changed) await replaceBody(tx, accountId, { id, body });
      };
      await database.write(erase, { alone: true });
      await sleep(PAUSE_MS);
    }
  }
}
