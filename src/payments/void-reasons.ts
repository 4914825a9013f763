import type { SaleId } from '../core/ids.ts';

const DUPLICATE_OF = 'the same payment as sale ';

/** Why a sale is void whose payment is already another sale. */
export function duplicateOf(saleId: SaleId): string {
  return `${DUPLICATE_OF}${saleId}`;
}

/** False for a sale that another service voided before it was imported. */
export function isDuplicate(voidedReason: string): boolean {
  return voidedReason.startsWith(DUPLICATE_OF);
}
