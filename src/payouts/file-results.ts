import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { Actor } from '../core/actor.ts';
import type { AccountId, PayoutId } from '../core/ids.ts';
import type { PayoutStatus } from '../core/payout.ts';
import { payoutIdOfShort, shortIdOf } from '../core/short-id.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import type { FileResult, FileResults } from './file-schemas.ts';
import { getPayout } from './list.ts';
import { findFileWithoutContent, findIdsInFile, findLiveFile, isInFile, keepInLiveFile } from './queries/files.ts';
import { settlePayout } from './states.ts';

/** The number of payouts settled concurrently, so that they share commits. */
const AT_ONCE = 50;
/** The number of results, or payouts of the file, that are looked through before other requests have their turn. */
const RESULTS_PER_TURN = 500;

type Outcome = 'paid' | 'failed' | 'unchanged' | { id: string; message: string };

/**
 * Records the results that the bank or provider reports, each payout separately. A repeated result changes nothing. A
 * result that contradicts the payout's state or another result for the payout is reported back instead of being
 * recorded.
 *
 * @param fileId the file that must contain the payouts; null for any
 * @throws ServiceError `NOT_FOUND` for the file
 */
export async function recordFileResults(
  service: Service,
  accountId: AccountId,
  { fileId, results, actor }: { fileId: string | null; results: readonly FileResult[]; actor: Actor },
): Promise<FileResults> {
  if (fileId !== null) await requireFile(service, accountId, fileId);
  const byPayout = new Map<string, FileResult>();
  const summary: FileResults = { paid: 0, failed: 0, unchanged: 0, problems: [] };
  const firsts: { payoutId: string; result: FileResult }[] = [];
  const payoutOf = fileId === null ? new Map<string, string | null>() : await findByEnds(service, fileId, results);
  for (const [index, result] of results.entries()) {
    if (index % RESULTS_PER_TURN === 0) await yieldToEventLoop();
    const payoutId = payoutIdOfShort(result.id) ?? payoutOf.get(asEnd(result.id)) ?? result.id;
    const earlier = byPayout.get(payoutId);
    if (earlier === undefined) firsts.push({ payoutId, result });
    else if (earlier.status === result.status) summary.unchanged += 1;
    else summary.problems.push({ id: result.id, message: `is ${earlier.status} in the same report` });
    byPayout.set(payoutId, earlier ?? result);
  }
  const record = ({ payoutId, result }: { payoutId: string; result: FileResult }) =>
    recordResult(service, accountId, { payoutId, fileId, result, actor });
  for (let start = 0; start < firsts.length; start += AT_ONCE) {
    for (const outcome of await Promise.all(firsts.slice(start, start + AT_ONCE).map(record))) {
      if (typeof outcome === 'string') summary[outcome] += 1;
      else summary.problems.push(outcome);
    }
  }
  return summary;
}

async function requireFile({ database }: Service, accountId: AccountId, fileId: string): Promise<void> {
  const file = await database.read((tx) => findFileWithoutContent(tx, accountId, fileId));
  if (file === undefined) throw notFound('payout file', fileId);
}

/** A reference in a file whose provider allows no whole short id. */
const END = /^[0-9A-Z]{10,25}$/;
const asEnd = (id: string) => id.trim().toUpperCase();

/** By the ends of short ids that results name: the payout in the file; null where several have this end. */
async function findByEnds(
  service: Service,
  fileId: string,
  results: readonly FileResult[],
): Promise<Map<string, string | null>> {
  const found = new Map<string, string | null>();
  const ends = new Set(results.map(({ id }) => asEnd(id)).filter((id) => END.test(id)));
  if (ends.size === 0) return found;
  const lengths = new Set([...ends].map(({ length }) => length));
  const payouts = await service.database.read((tx) => findIdsInFile(tx, fileId));
  for (const [index, { id }] of payouts.entries()) {
    if (index % RESULTS_PER_TURN === 0) await yieldToEventLoop();
    for (const length of lengths) {
      const end = shortIdOf(id).slice(-length);
      if (ends.has(end)) found.set(end, found.has(end) ? null : id);
    }
  }
  return found;
}

interface GivenResult {
  payoutId: string;
  fileId: string | null;
  result: FileResult;
  actor: Actor;
}

/**
 * A result is about the payment that its file ordered. Once that file was canceled, another one may order the payment:
 * until the unit ends, none can.
 *
 * @throws ServiceError `CONFLICT` when another file has the payout by now
 */
async function requirePaidBy(
  tx: Transaction,
  { accountId, fileId, payoutId }: { accountId: AccountId; fileId: string; payoutId: PayoutId },
): Promise<void> {
  if (await keepInLiveFile(tx, fileId, payoutId)) return;
  await tx.claim(() => [claimKeys.payoutFiles(accountId)]);
  const liveId = await findLiveFile(tx, payoutId);
  if (liveId !== null) throw new ServiceError('CONFLICT', `is in the file ${liveId} since ${fileId} was canceled`);
}

/** A report is about payments that a file ordered. What became of a transfer, only a person can find out. */
function heldError(payoutId: PayoutId): ServiceError {
  const message = `Payout ${payoutId} is held, and in no file: mark it as paid or failed by itself, once you know what became of it`;
  return new ServiceError('INVALID_STATE', message);
}

async function recordResult(
  service: Service,
  accountId: AccountId,
  { payoutId, fileId, result: { id, status, reason: note }, actor }: GivenResult,
): Promise<Outcome> {
  const mayBeOf = fileId === null || (await service.database.read((tx) => isInFile(tx, fileId, payoutId)));
  if (!mayBeOf) return { id, message: `is not in the file ${fileId}` };
  const check = async (tx: Transaction, payout: { id: PayoutId; status: PayoutStatus }) => {
    if (payout.status === 'held') throw heldError(payout.id);
    if (fileId !== null) await requirePaidBy(tx, { accountId, fileId, payoutId: payout.id });
  };
  try {
    await settlePayout(service, accountId, payoutId, { status, note, actor, check });
    return status;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'NOT_FOUND' || error.code === 'CONFLICT') return { id, message: error.message };
    if (error.code !== 'INVALID_STATE') throw error;
    const { status: current } = await getPayout(service, accountId, payoutId);
    return current === status ? 'unchanged' : { id, message: error.message };
  }
}
