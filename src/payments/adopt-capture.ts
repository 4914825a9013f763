import type { SaleId } from '../core/ids.ts';
import type { Capture } from '../core/same-payment.ts';
import type { Transaction } from '../storage/database.ts';
import { moveToEarlier } from './move-sale.ts';
import type { ReversibleSale } from './queries/reversible-sales.ts';
import { updateGross } from './queries/sale-amounts.ts';
import { changeOf, getReversibleSale, settleEarlierReversals } from './reverse-sale.ts';
import type { Scope } from './scope.ts';

/** Adopts captured money for a payment that is a sale already, and settles the sale's reversals. */
export async function captureSale(tx: Transaction, scope: Scope, saleId: SaleId, capture: Capture): Promise<void> {
  const sale = await getReversibleSale(tx, scope.accountId, saleId);
  const adopted = await adoptCapture(tx, scope.now, sale, capture);
  if (adopted !== sale) await settleEarlierReversals(tx, scope.now, adopted, changeOf(sale, adopted));
}

/**
 * The captured money of an API sale is what its refunds are measured against, until a processor reports what it was paid
 * for. The caller's amount stays; the time becomes that of the capture if it is earlier. Returns the updated sale; the
 * caller settles its reversals if it changed.
 */
export async function adoptCapture(
  tx: Transaction,
  now: number,
  stored: ReversibleSale,
  { amountMinor: grossAmount, currency, occurredAt }: Capture,
): Promise<ReversibleSale> {
  const sale = await moveToEarlier(tx, now, stored, occurredAt);
  // earlier versions did not store that the amount is the caller's
  const isCallersAmount = sale.terms.isCallersAmount || sale.isFromApi;
  if (!isCallersAmount || isGrossReported(sale) || sale.currency !== currency) return sale;
  const marks = { isCallersAmount: true, isGrossReported: true } as const;
  const adopted = { ...sale, grossAmount, terms: { ...sale.terms, ...marks } };
  await updateGross(tx, adopted, adopted);
  return adopted;
}

/**
 * True when the gross amount of a sale that the caller reported is not the caller's. Earlier versions stored no mark, but
 * only a processor states when it wrote its total.
 */
export function isGrossReported({ terms, grossAmount, amount, statedAt }: ReversibleSale): boolean {
  return terms.isGrossReported === true || grossAmount !== amount || statedAt !== null;
}
