import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { allPages } from '../app/all-pages.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PayoutId } from '../core/ids.ts';
import { shortIdOf } from '../core/short-id.ts';
import { notFound, validationError } from '../errors.ts';
import { OTHER_KEY, openPayoutDetails } from '../programs/payout-details.ts';
import type { PaymentWithDetails, PayoutDetails, PayoutDetailsView } from '../rails/contract/rail.ts';
import { RAIL_FORMS } from '../rails/forms.ts';
import { FILE_RAILS } from '../rails/index.ts';
import type { LeftOutPayout, PayoutFileInput } from './file-schemas.ts';
import { findPayoutsToSend, findProcessingToSend, type PayoutToSend } from './queries/files.ts';

/** The details of so many partners are decrypted before other requests have their turn. */
const PAGE_SIZE = 200;
/** A file is put together from so many chunks, of a payment each, before other requests have their turn. */
const CHUNKS_PER_TURN = 200;
const LEFT_OUT_SHOWN = 1_000;

export const NO_DETAILS =
  "The partner has no payout details: set them on the partner's page " +
  '(in the API: PUT /api/partners/:id/payout-details)';

export interface FileContents {
  payoutIds: PayoutId[];
  payments: PaymentWithDetails<PayoutDetails>[];
  /** Null while there are no payments. */
  currency: string | null;
  /** Minor units, a safe integer. */
  amount: number;
  leftOut: LeftOutPayout[];
  leftOutCount: number;
  isFull: boolean;
}

/**
 * Chooses the payouts of a file, oldest first, and decrypts the details of their partners. A payout that cannot be paid
 * is listed with the reason. Unless it was requested by id, a payout for another rail or currency, or one that is
 * already in a file or being sent, is skipped instead.
 *
 * @throws ServiceError `NOT_FOUND` for an id; `VALIDATION_ERROR` when payouts wait in several currencies and none was
 * chosen
 */
export async function chooseContents(
  service: Service,
  accountId: AccountId,
  input: PayoutFileInput,
): Promise<FileContents> {
  const contents: FileContents = {
    payoutIds: [],
    payments: [],
    currency: input.currency,
    amount: 0,
    leftOut: [],
    leftOutCount: 0,
    isFull: false,
  };
  for await (const payouts of pagesOf(service, accountId, input.payoutIds)) {
    for (const payout of payouts) {
      const reason = addPayout(service, contents, payout, input);
      if (reason === null) continue;
      contents.leftOutCount += 1;
      const { id: payoutId, partnerId, partnerName } = payout;
      if (contents.leftOut.length < LEFT_OUT_SHOWN) contents.leftOut.push({ payoutId, partnerId, partnerName, reason });
    }
    // those that were requested are all listed
    if (contents.isFull && input.payoutIds === null) break;
  }
  return contents;
}

async function* pagesOf(service: Service, accountId: AccountId, ids: string[] | null) {
  if (ids !== null) {
    for (let start = 0; start < ids.length; start += PAGE_SIZE) {
      const page = ids.slice(start, start + PAGE_SIZE);
      const found = await service.database.report((tx) => findPayoutsToSend(tx, accountId, page));
      const byId = new Map<string, PayoutToSend>(found.map((payout) => [payout.id, payout]));
      const missing = page.find((id) => !byId.has(id));
      if (missing !== undefined) throw notFound('payout', missing);
      yield [...byId.values()];
      await yieldToEventLoop();
    }
    return;
  }
  yield* allPages(PAGE_SIZE, (page) => service.database.report((tx) => findProcessingToSend(tx, accountId, page)));
}

/**
 * Adds a payout, or returns the reason why it cannot be added. Returns null when it was added, or skipped because
 * nobody requested it.
 */
function addPayout(
  service: Service,
  contents: FileContents,
  payout: PayoutToSend,
  { rail, payoutIds, currency: chosen }: PayoutFileInput,
): string | null {
  const { id, amount, currency, status, fileId, transferRail } = payout;
  const isAskedFor = payoutIds !== null;
  if (status !== 'processing') return `The payout is ${status}; only one that is processing is paid`;
  if (transferRail !== null) return isAskedFor ? `The payout is being sent by ${RAIL_FORMS[transferRail].title}` : null;
  if (fileId !== null) return isAskedFor ? `The payout is in the file ${fileId}` : null;
  if (chosen !== null && currency !== chosen) {
    return isAskedFor ? `The payout is in ${currency.toUpperCase()}` : null;
  }
  if (payout.payoutDetails === null || payout.sealedDetails === null) return NO_DETAILS;
  const { rail: theirs } = JSON.parse(payout.payoutDetails) as PayoutDetailsView;
  if (theirs !== rail) return isAskedFor ? `The partner is paid by ${theirs}` : null;
  const details = openedDetails(service, payout.sealedDetails);
  if (details === null) return OTHER_KEY;
  const payment = { shortId: shortIdOf(id), amount, currency, details };
  const refusal = FILE_RAILS[rail].refusalOf(payment, details);
  if (refusal !== null) return refusal;
  if (contents.currency !== null && contents.currency !== currency)
    throw severalCurrencies(contents.currency, currency);
  const isFull =
    contents.payments.length >= FILE_RAILS[rail].paymentsMax || !Number.isSafeInteger(contents.amount + amount);
  contents.isFull ||= isFull;
  if (isFull) return isAskedFor ? 'The file is full: make another one' : null;
  contents.currency = currency;
  contents.amount += amount;
  contents.payoutIds.push(id);
  contents.payments.push(payment);
  return null;
}

export function openedDetails(service: Service, sealed: Buffer): PayoutDetails | null {
  try {
    return openPayoutDetails(service, sealed);
  } catch {
    return null;
  }
}

/** Puts a file together and encrypts it; other requests have their turn between its parts, and before and after that. */
export async function sealFile({ sealer }: Service, chunks: Iterable<string>): Promise<Buffer> {
  const made: string[] = [];
  for (const chunk of chunks) {
    made.push(chunk);
    if (made.length % CHUNKS_PER_TURN === 0) await yieldToEventLoop();
  }
  await yieldToEventLoop();
  const sealed = sealer.seal(made.join(''));
  await yieldToEventLoop();
  return sealed;
}

function severalCurrencies(one: string, other: string) {
  const message = `is required: payouts in ${one.toUpperCase()} and ${other.toUpperCase()} wait, and a file has one currency`;
  return validationError([{ path: 'currency', message }]);
}
