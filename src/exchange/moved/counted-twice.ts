import type { AccountId, EntryId } from '../../core/ids.ts';
import { formatMoney } from '../../core/money.ts';
import { ServiceError } from '../../errors.ts';
import { findKnownPayment } from '../../payments/imports/import-sale.ts';
import { findNamed, namesOf } from '../../payments/imports/imported-payment.ts';
import { getReversibleSale } from '../../payments/reverse-sale.ts';
import type { Transaction } from '../../storage/database.ts';
import { findRecord, type ImportedRecord, putRecord, type RecordKey } from '../queries/imported-records.ts';
import type { MovedPayment } from './facts.ts';
import { findByEitherWay, lookAheadEitherWay } from './other-way.ts';
import type { OwnedCommission } from './owned-commission.ts';
import type { MovedTarget } from './target.ts';

/** Notes the payment of a commission that is an entry, for a file of sales that states the same commission. */
export async function notePayment(
  target: MovedTarget,
  { id, payment, amountMinor, currency }: OwnedCommission,
  entryId: string,
): Promise<void> {
  for (const key of keysOf(target, payment)) {
    if ((await findRecord(target.tx, target.accountId, key)) !== undefined) continue;
    putRecord(target.tx, target.accountId, key, { ownId: entryId, state: id, amount: amountMinor, currency });
  }
}

/** @throws ServiceError `CONFLICT` for the row of a sale whose commission is an entry here */
export async function requireNoEntry(
  target: MovedTarget,
  { payment, amountMinor, currency, isSaleRow }: OwnedCommission,
): Promise<void> {
  if (!isSaleRow || amountMinor === 0) return;
  const known = await findEntryOf(target, payment);
  if (known === undefined) return;
  throw new ServiceError(
    'CONFLICT',
    `It is ${formatMoney(amountMinor, currency)}, and the commission ${known.state} of ${target.source.title} for the ` +
      `same payment is the entry ${known.ownId} here: if both are owed, add an adjustment; nothing was counted again`,
  );
}

/** Looks up what `requireNoEntry` will ask for; see `Transaction.lookAhead`. */
export async function lookAheadToEntry(tx: Transaction, target: MovedTarget, payment: MovedPayment): Promise<void> {
  await Promise.all(keysOf(target, payment).map((key) => lookAheadEitherWay(tx, target, key)));
}

/** The commission of the payment, if it is an entry. */
async function findEntryOf(target: MovedTarget, payment: MovedPayment): Promise<ImportedRecord | undefined> {
  for (const key of keysOf(target, payment)) {
    const known = await findByEitherWay(target, key);
    if (known !== undefined) return known;
  }
  return undefined;
}

function keysOf({ source }: MovedTarget, payment: MovedPayment): RecordKey[] {
  return namesOf(payment).map((sourceId) => ({ source: source.name, kind: 'payment', sourceId }));
}

/**
 * Finds what is counted twice: nothing prevents that a payment whose commission became an entry is reported later. Its
 * status is followed all the same.
 *
 * @throws ServiceError `CONFLICT` when the payment is a sale here
 */
export async function requireNoSale(
  { tx, service, accountId }: MovedTarget,
  { payment, amountMinor, currency }: OwnedCommission,
  entryId: EntryId,
): Promise<void> {
  // otherwise, a sale that earned nothing would learn these ids, although nothing is imported
  if (!(await earnedSomething(tx, accountId, payment))) return;
  const { sale } = await findKnownPayment(tx, { accountId, now: service.clock() }, payment);
  if (sale === null || sale.commissionMinor === 0) return;
  const [there, here] = [formatMoney(amountMinor, currency), formatMoney(sale.commissionMinor, sale.currency)];
  throw new ServiceError(
    'CONFLICT',
    `It is the entry ${entryId} of ${there} here, and its payment is the sale ${sale.saleId} here, which earned ${here} ` +
      `for ${sale.partnerId}: unless both are owed, take one back with an adjustment`,
  );
}

async function earnedSomething(tx: Transaction, accountId: AccountId, payment: MovedPayment): Promise<boolean> {
  const { saleIds } = await findNamed(tx, accountId, payment);
  const sales = await Promise.all(saleIds.map((saleId) => getReversibleSale(tx, accountId, saleId)));
  return sales.some(({ commissionAmount }) => commissionAmount !== 0);
}

/**
 * Guards a negative commission: the processor may have reported here the refund for which it is.
 *
 * @throws ServiceError `CONFLICT` when a part of the sale of its payment was taken back here, or will be once it is imported
 */
export async function requireNoRefund(target: MovedTarget, commission: OwnedCommission): Promise<void> {
  const { tx, service, accountId } = target;
  const { payment, amountMinor, currency, status } = commission;
  if (status === 'reversed') return;
  const { sale, isRefundWaiting } = await findKnownPayment(tx, { accountId, now: service.clock() }, payment);
  if (isRefundWaiting && (await findEntryOf(target, payment)) === undefined) throw refundWaits(commission);
  if (sale === null || !sale.isRefunded) return;
  throw new ServiceError(
    'CONFLICT',
    `It is ${formatMoney(amountMinor, currency)}, and its payment is the sale ${sale.saleId} here, of which a refund was taken ` +
      'back here, too: unless that is the same refund, deduct it with an adjustment; nothing was deducted again',
  );
}

/** A service may list the refund before the commission that it takes back. */
function refundWaits({ amountMinor, currency }: OwnedCommission): ServiceError {
  return new ServiceError(
    'CONFLICT',
    `It is ${formatMoney(amountMinor, currency)}, and a refund of its payment waits here for the sale, from which it will be ` +
      'deducted: import the sale, then import again; if the sale is not imported, deduct it with an adjustment',
  );
}
