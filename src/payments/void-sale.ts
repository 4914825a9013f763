import type { SaleId } from '../core/ids.ts';
import { countResults } from '../results/count.ts';
import type { Transaction } from '../storage/database.ts';
import { type ReversibleSale, storeVoid } from './queries/reversible-sales.ts';
import { resultOf, settleReversals } from './reverse-sale.ts';

/**
 * Reverses a sale in full, so that it no longer counts. The commission is reversed even when it was already paid.
 *
 * @param sale as stored; an import may have voided it before, which is when it stopped counting
 */
export async function voidSale(tx: Transaction, now: number, sale: ReversibleSale, reason: string): Promise<void> {
  const { id: saleId, accountId } = sale;
  await storeVoid(tx, accountId, saleId, reason);
  const isVoided = sale.voidedReason !== null;
  await settleReversals(tx, now, { ...sale, voidedReason: reason }, isVoided ? 'sale.updated' : 'sale.refunded');
  if (isVoided) return;
  countResults(tx, [{ ...resultOf(sale), sales: -1, revenue: -sale.amount }]);
}

const DUPLICATE_OF = 'the same payment as sale ';

/** The void reason of a sale whose payment already has another sale. */
export function duplicateOf(saleId: SaleId): string {
  return `${DUPLICATE_OF}${saleId}`;
}

/** False for a sale that another service voided before it was imported. */
export function isDuplicate(voidedReason: string): boolean {
  return voidedReason.startsWith(DUPLICATE_OF);
}
