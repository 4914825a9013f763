import type { PaymentId, SaleId } from '../../core/ids.ts';
import { formatMoney } from '../../core/money.ts';
import { ServiceError } from '../../errors.ts';
import { leftSinceReversal } from '../../ledger/imported.ts';
import type { FoundSale } from '../../payments/imports/import-sale.ts';
import { findRecord, type ImportedRecord, putRecord, type RecordKey } from '../queries/imported-records.ts';
import { findByEitherWay, findByOtherWay, lookAheadEitherWay } from './other-way.ts';
import type { OwnedCommission } from './owned-commission.ts';
import type { MovedTarget } from './target.ts';

/**
 * The service may have lowered it for a refund that the processor has reported here, too.
 *
 * @throws ServiceError `CONFLICT` when the sale of its payment earned something else, also less its first refunds
 */
export async function requireSameCommission(
  { tx }: MovedTarget,
  { owner, amountMinor, currency }: OwnedCommission,
  sale: FoundSale,
): Promise<void> {
  if (sale.partnerId === owner.partnerId && sale.currency === currency) {
    if (sale.commissionMinor === amountMinor) return;
    const left = await leftSinceReversal(tx, sale.saleId);
    if (left.includes(amountMinor) && !(sale.isReversed && amountMinor === 0)) return;
  }
  const [there, here] = [formatMoney(amountMinor, currency), formatMoney(sale.commissionMinor, sale.currency)];
  throw new ServiceError(
    'CONFLICT',
    `It is ${there} for ${owner.partnerId}, and its payment is the sale ${sale.saleId} here, which earned ${here} for ` +
      `${sale.partnerId}: if that is wrong, adjust what the partner is owed; nothing was counted again`,
  );
}

/**
 * Guards a sale that was counted here, and not by an import from this service. It may have been voided there because it
 * counts here.
 *
 * @throws ServiceError `CONFLICT` unless the sale is reversed here, too
 */
export async function requireNotOnlyHere(
  target: MovedTarget,
  { saleId, isReversed, commissionMinor, currency }: FoundSale,
): Promise<void> {
  if (isReversed) return;
  for (const sourceId of [saleId, idOfRow(saleId)]) {
    if ((await findByEitherWay(target, { kind: 'sale', sourceId })) !== undefined) return;
  }
  throw new ServiceError(
    'CONFLICT',
    `It was taken back at ${target.source.title}, and its payment is the sale ${saleId} here, which earned ` +
      `${formatMoney(commissionMinor, currency)}: if the partner should lose that, deduct it with an adjustment; nothing was taken back`,
  );
}

/**
 * Notes whose commission a sale is. Two commissions of one service are never one, whichever way they come, even if they are
 * equal; those of two services are.
 *
 * @throws ServiceError `CONFLICT` when the sale is another commission of this service, or the row of a file of sales
 *   states another amount of it
 */
export async function claimSale(
  target: MovedTarget,
  commission: OwnedCommission,
  { saleId }: { saleId: SaleId },
): Promise<void> {
  const { tx, accountId, source } = target;
  const { id, amountMinor, currency, isSaleRow, sale } = commission;
  // a file of sales may state the commission that a file of commissions states, too
  const sourceId = isSaleRow ? idOfRow(saleId) : saleId;
  const key: RecordKey = { source: source.name, kind: 'sale', sourceId };
  tx.lookAhead((ahead) => lookAheadEitherWay(ahead, target, key));
  const own = await findRecord(tx, accountId, key);
  const known = own ?? (await findByOtherWay(target, key));
  if (known === undefined || known.state === id) {
    if (own !== undefined) return requireSameSaleAmount(target, saleId, own, commission);
    const amounts = { amount: sale?.amountMinor ?? null, currency: sale?.currency ?? null };
    putRecord(tx, accountId, key, { ownId: saleId, state: id, ...amounts });
    return;
  }
  const other = isSaleRow ? known.state : `commission ${known.state}`;
  throw new ServiceError(
    'CONFLICT',
    `It is ${formatMoney(amountMinor, currency)}, and its payment is the sale ${saleId} here, which is the ` +
      `${other} of ${source.title}: if both are owed, add an adjustment; nothing was counted again`,
  );
}

/**
 * True for a sale that a file of sales of this service brought for the commission's partner, without what it earned. A sale
 * that was counted here earned nothing on the terms here, even if such a file states it, too.
 */
export async function isRowWithoutCommission(
  target: MovedTarget,
  { owner }: OwnedCommission,
  { saleId, partnerId, commissionMinor, isImported }: FoundSale,
): Promise<boolean> {
  if (!isImported || commissionMinor > 0 || partnerId !== owner.partnerId) return false;
  return (await findByEitherWay(target, { kind: 'sale', sourceId: idOfRow(saleId) })) !== undefined;
}

const idOfRow = (saleId: SaleId) => `row of ${saleId}`;

/**
 * The row of a sale has the id of its payment, which other rows may have, too. It may be lower for refunds that were
 * reported here; whether its commission is lower as well was compared before. The sale of a commission with an id of its
 * own is lowered by refunds there, which are none of the commission's.
 */
async function requireSameSaleAmount(
  { tx }: MovedTarget,
  saleId: SaleId,
  { amount }: ImportedRecord,
  { isSaleRow, sale }: OwnedCommission,
): Promise<void> {
  if (!isSaleRow || sale === null || amount === null || amount === sale.amountMinor) return;
  const isLowered = sale.amountMinor < amount && (await leftSinceReversal(tx, saleId)).length > 0;
  if (isLowered) return;
  const [before, now] = [formatMoney(amount, sale.currency), formatMoney(sale.amountMinor, sale.currency)];
  throw new ServiceError(
    'CONFLICT',
    `Its sale was ${before} when it was imported, and is ${now} now: write one row for each invoice, with its total; ` +
      'otherwise settle the difference with an adjustment',
  );
}

/** The refusal of a commission whose payment could be counted later, in addition to it. */
export function notAttributed(paymentId: PaymentId): ServiceError {
  return new ServiceError(
    'CONFLICT',
    `Its payment ${paymentId} is known here, but not attributed yet: attribute it by hand, then import again; ` +
      'otherwise it could be counted twice',
  );
}
