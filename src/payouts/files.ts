import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, type PageQuery, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { type Actor, actorName } from '../core/actor.ts';
import type { AccountId } from '../core/ids.ts';
import { shortIdOf } from '../core/short-id.ts';
import { isoDate, isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { createId } from '../ids.ts';
import { FILE_RAILS } from '../rails/index.ts';
import { chooseContents, type FileContents, sealFile } from './file-contents.ts';
import type {
  LeftOutPayout,
  NewPayoutFile,
  PayoutFileInput,
  PayoutFileResource,
  PayoutsOfFile,
} from './file-schemas.ts';
import {
  cancelFile,
  countStillProcessing,
  findFileWithoutContent,
  findPayoutFile,
  findPayoutFiles,
  findPayoutsOfFile,
  insertFileRows,
  insertPayoutFile,
  type PayoutFile,
  type PayoutInFile,
} from './queries/files.ts';

export interface PayoutFileContent {
  contentType: string;
  fileName: string;
  content: string;
}

const REASONS_SHOWN = 5;
const NAMES_SHOWN = 3;

/**
 * Makes a file for a bank or provider from payouts that are processing, and stores it encrypted. From then on, no other
 * file can include these payouts.
 *
 * @throws ServiceError `NOT_FOUND` for a payout; `VALIDATION_ERROR` for several currencies or a date in the past;
 * `INVALID_STATE` when nothing can be paid; `CONFLICT` when another request took one of the payouts in the meantime
 */
export async function makePayoutFile(
  service: Service,
  accountId: AccountId,
  input: PayoutFileInput,
  actor: Actor,
): Promise<NewPayoutFile> {
  const createdAt = service.clock();
  const flaw = FILE_RAILS[input.rail].flawOfOptions?.(input, createdAt) ?? null;
  if (flaw !== null) throw validationError([flaw]);
  const contents = await chooseContents(service, accountId, input);
  const { payments, payoutIds, currency, amount, leftOut, leftOutCount, isFull } = contents;
  if (payments.length === 0 || currency === null) throw nothingToPay(contents);
  const { rail } = input;
  const id = createId('pfl');
  const { contentType, extension, chunks } = FILE_RAILS[rail].fileFor(payments, {
    shortId: shortIdOf(id),
    createdAt,
    options: input,
  });
  const file: PayoutFile = {
    id,
    accountId,
    rail,
    currency,
    payoutCount: payments.length,
    amount,
    contentType,
    fileName: `${rail}-${currency}-${isoDate(createdAt)}-${shortIdOf(id)}.${extension}`,
    createdAt,
    createdBy: actorName(actor),
    canceledAt: null,
  };
  const content = await sealFile(service, chunks);
  await service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.payoutFiles(accountId)]);
    await insertPayoutFile(tx, { ...file, content });
    const taken = (await insertFileRows(tx, id, payoutIds)) < payoutIds.length;
    if (taken || (await countStillProcessing(tx, accountId, id)) < payoutIds.length) {
      throw new ServiceError(
        'CONFLICT',
        'Another request ended one of these payouts, sent it or put it into a file: try again',
      );
    }
    noteChange(tx, { resourceId: id, after: asFile(file) });
  });
  return { ...asFile(file), leftOut, leftOutCount, isFull };
}

function nothingToPay({ leftOut, leftOutCount }: FileContents): ServiceError {
  const [first] = leftOut;
  if (first === undefined) {
    const message =
      'No payout waits for this file: run payouts first (in the API: POST /api/payouts/run), or look for an earlier file';
    return new ServiceError('INVALID_STATE', message);
  }
  if (leftOutCount === 1) {
    return new ServiceError('INVALID_STATE', `${first.payoutId} of ${first.partnerName}: ${first.reason}`);
  }
  const reasons = Map.groupBy(leftOut, ({ reason }) => reason);
  const texts = [...reasons].slice(0, REASONS_SHOWN).map(([reason, payouts]) => `${namesIn(payouts)}: ${reason}`);
  return new ServiceError('INVALID_STATE', `None of ${leftOutCount} payouts can go into the file. ${texts.join('. ')}`);
}

/** `Ana, Bo, Cem and 4 more` */
function namesIn(payouts: readonly LeftOutPayout[]): string {
  const names = [...new Set(payouts.map(({ partnerName }) => partnerName))];
  const rest = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return names.slice(0, NAMES_SHOWN).join(', ') + rest;
}

/** One page of the account's files, newest first. */
export function listPayoutFiles(
  service: Service,
  accountId: AccountId,
  page: PageQuery,
): Promise<Page<PayoutFileResource>> {
  return service.database.report((tx) => pageOf(page, (bounds) => findPayoutFiles(tx, accountId, bounds), asFile));
}

/**
 * A file without its content, and one page of its payouts, newest first. The payouts of a canceled file may be in
 * another file by now.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export function listPayoutsOfFile(
  service: Service,
  accountId: AccountId,
  id: string,
  page: PageQuery,
): Promise<PayoutsOfFile> {
  return service.database.report(async (tx) => {
    const file = await findFileWithoutContent(tx, accountId, id);
    if (file === undefined) throw notFound('payout file', id);
    const found = await pageOf(page, (bounds) => findPayoutsOfFile(tx, file.id, bounds), asPayoutInFile);
    return { file: asFile(file), ...found };
  });
}

function asPayoutInFile(payout: PayoutInFile): PayoutsOfFile['data'][number] {
  const { id, partnerId, partnerName, amount, currency, status, note } = payout;
  const paidAt = isoTimeOrNull(payout.paidAt);
  return { id, shortId: shortIdOf(id), partnerId, partnerName, amount, currency, status, paidAt, note };
}

/**
 * The original content of the file, for another download, which is noted. Not of one that is canceled meanwhile: whoever
 * cancels it may make another one at once.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when it was canceled, or its content is gone or cannot be decrypted
 */
export async function downloadPayoutFile(
  service: Service,
  accountId: AccountId,
  id: string,
): Promise<PayoutFileContent> {
  const file = await readPayoutFile(service, accountId, id);
  await service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.payoutFiles(accountId)]);
    requireInUse(await findFileWithoutContent(tx, accountId, id), id);
    noteChange(tx, { resourceId: id });
  });
  return file;
}

/** As `downloadPayoutFile`, without noting it. */
export async function readPayoutFile(service: Service, accountId: AccountId, id: string): Promise<PayoutFileContent> {
  const file = requireInUse(await service.database.read((tx) => findPayoutFile(tx, accountId, id)), id);
  if (file.content === null) {
    const why = 'a partner in it was erased, or the account was moved here without the key that encrypted it';
    throw new ServiceError('INVALID_STATE', `The content of ${id} is gone, because ${why}`);
  }
  const { contentType, fileName } = file;
  return { contentType, fileName, content: openContent(service, id, file.content) };
}

function requireInUse<File extends PayoutFile>(file: File | undefined, id: string): File {
  if (file === undefined) throw notFound('payout file', id);
  if (file.canceledAt === null) return file;
  const message = `${id} was canceled, and its payouts may be in another file by now: send only that one`;
  throw new ServiceError('INVALID_STATE', message);
}

function openContent({ sealer }: Service, id: string, content: Buffer): string {
  try {
    return sealer.open(content);
  } catch (cause) {
    const message =
      `${id} was encrypted with another SECRET_KEY: add that key to SECRET_KEY_FALLBACKS; if the file was never sent, ` +
      'cancel it and make another one';
    throw new ServiceError('INVALID_STATE', message, { cause });
  }
}

/**
 * Cancels a file that was never sent, so that its payouts may go into another one. Changes nothing when it is already
 * canceled.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export function cancelPayoutFile(service: Service, accountId: AccountId, id: string): Promise<PayoutFileResource> {
  const now = service.clock();
  return service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.payoutFiles(accountId)]);
    const file = await findFileWithoutContent(tx, accountId, id);
    if (file === undefined) throw notFound('payout file', id);
    if (file.canceledAt !== null) return asFile(file);
    await cancelFile(tx, file.id, now);
    const after = asFile({ ...file, canceledAt: now });
    noteChange(tx, { resourceId: file.id, before: asFile(file), after });
    return after;
  });
}

function asFile(file: PayoutFile): PayoutFileResource {
  return {
    id: file.id,
    rail: file.rail,
    currency: file.currency,
    payoutCount: file.payoutCount,
    amount: file.amount,
    fileName: file.fileName,
    createdAt: isoTime(file.createdAt),
    createdBy: file.createdBy,
    canceledAt: isoTimeOrNull(file.canceledAt),
  };
}
