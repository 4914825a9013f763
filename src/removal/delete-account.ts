import { setTimeout as sleep } from 'node:timers/promises';
import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import { RAIL_FORMS } from '../rails/forms.ts';
import type { Transaction, Unit } from '../storage/database.ts';
import {
  closeAccount,
  countSending,
  deleteAccountRow,
  deleteRailConnections,
  endAttribution,
  endQueuedPayouts,
  findAccountHistory,
} from './queries/account.ts';
import * as rows from './queries/rows.ts';

/** Rows per unit of work, so that other work waits for milliseconds only. */
const ROWS_PER_UNIT = 1_000;
/** Parents whose rows one unit looks for. */
const PARENTS_PER_UNIT = 100;
/**
 * Processes cache links, keys, endpoints, imports and reconciliations for a second, and store a click within another second; what they
 * store needs its link.
 */
const CACHES_MS = 3_000;

export interface DeleteAccountOptions {
  /** Called after each unit with the number of rows deleted so far. */
  onProgress?: (count: number) => void;
  rowsPerUnit?: number;
  cachesMs?: number;
}

/**
 * History that should make an operator think twice before deleting an account; empty for one that was created by
 * mistake.
 */
export function historyOf({ database }: Service, accountId: AccountId): Promise<string[]> {
  return database.read((tx) => findAccountHistory(tx, accountId));
}

/**
 * Deletes an account with all of its rows, in slices that are each a unit of work; returns the number of rows. It can
 * be interrupted at any time: the next call continues where it stopped, and the account itself is deleted last.
 *
 * On SQLite, call it on a database that was opened without foreign keys: otherwise SQLite checks each deleted row by
 * reading tables that have no index for it.
 *
 * @throws ServiceError `INVALID_STATE` while payouts are being sent; nothing is deleted then
 */
export async function deleteAccount(
  service: Service,
  accountId: AccountId,
  { onProgress = () => {}, rowsPerUnit = ROWS_PER_UNIT, cachesMs = CACHES_MS }: DeleteAccountOptions = {},
): Promise<number> {
  const { database } = service;
  const write = <T>(unit: Unit<T>) => database.write(unit, { alone: true });
  let total = 0;
  const count = (deleted: number) => {
    total += deleted;
    onProgress(total);
    return deleted;
  };
  const owned = async (remove: typeof rows.deleteLinks, ownerId: string = accountId) => {
    while (count(await write((tx) => remove(tx, { ownerId, limit: rowsPerUnit }))) > 0);
  };
  const ofEach = async (findIds: typeof rows.findLinkIds, remove: typeof rows.deleteOfLink) => {
    for (let afterId = ''; ; ) {
      const ids = await database.read((tx) => findIds(tx, { accountId, afterId, limit: PARENTS_PER_UNIT }));
      while (count(await write((tx) => removeOfAll(tx, ids, remove, rowsPerUnit))) > 0);
      if (ids.length < PARENTS_PER_UNIT) return;
      afterId = ids.at(-1) ?? afterId;
    }
  };
  const walk = async (step: typeof rows.walkClicks) => {
    for (let next: string | null = ''; next !== null; onProgress(total)) {
      const afterId: string = next;
      next = await write((tx) => step(tx, { accountId, afterId, limit: rowsPerUnit }));
    }
  };

  const takeOutOfUse = async () => {
    // a command that was waiting for the provider may have connected it again
    await write((tx) => deleteRailConnections(tx, accountId));
    await write((tx) => endAttribution(tx, accountId));
    await owned(rows.deleteAccess);
    await ofEach(rows.findOperatorIds, rows.deleteOfOperator);
    await owned(rows.deleteOperators);
  };

  await write(async (tx) => {
    // no payout begins to be sent meanwhile, nor afterwards, without a connection
    await tx.claim(() => [claimKeys.payoutFiles(accountId)]);
    await requireNothingSending(tx, accountId);
    await deleteRailConnections(tx, accountId);
    await closeAccount(tx, accountId, service.clock());
  });
  // operators, too, or they would sign in again, and make another key
  await takeOutOfUse();
  await sleep(cachesMs);
  // requests that were under way may have added a key or an operator, or made parked payments attributable
  await takeOutOfUse();
  await ofEach(rows.findImportIds, rows.deleteOfImport);
  await ofEach(rows.findReconciliationIds, rows.deleteOfReconciliation);
  // before everything that a retry of one would add
  await owned(rows.deleteDeliveries);
  await ofEach(rows.findEventEndpointIds, rows.deleteOfEventEndpoint);
  await owned(rows.deleteEvents);
  // a run that is under way, as of the schedule, would put entries into payouts whose entries are deleted already
  while ((await write((tx) => endQueuedPayouts(tx, accountId, rowsPerUnit))) > 0);
  await ofEach(rows.findPayoutIds, rows.deleteOfPayout);
  await owned(rows.deletePayouts);
  await ofEach(rows.findPartnerIds, rows.deleteOfPartner);
  await owned(rows.deleteMoney);
  await walk(rows.walkPayments);
  await owned(rows.deletePeople);
  await walk(rows.walkClicks);
  await ofEach(rows.findLinkIds, rows.deleteOfLink);
  await owned(rows.deleteLinks);
  // a code becomes a token
  await walk(rows.walkPortalCodes);
  await walk(rows.walkEmbedTokens);
  await owned(rows.deletePartners);
  await ofEach(rows.findProgramIds, rows.deleteOfProgram);
  await owned(rows.deleteLast);
  await write((tx) => deleteAccountRow(tx, accountId));
  return total;
}

/** The result of what a provider was asked to pay would be lost with its payout. */
async function requireNothingSending(tx: Transaction, accountId: AccountId): Promise<void> {
  const sending = await countSending(tx, accountId);
  if (sending.length === 0) return;
  const counts = sending.map(({ rail, count }) => `${count} by ${RAIL_FORMS[rail].title}`).join(', ');
  const message = `Payouts of ${accountId} are being sent: ${counts}. Wait until each is paid, failed or held, then delete the account`;
  throw new ServiceError('INVALID_STATE', message);
}

async function removeOfAll(
  tx: Transaction,
  ids: readonly string[],
  remove: typeof rows.deleteOfLink,
  limit: number,
): Promise<number> {
  let deleted = 0;
  for (const id of ids) {
    if (deleted < limit) deleted += await remove(tx, { ownerId: id, limit: limit - deleted });
  }
  return deleted;
}
