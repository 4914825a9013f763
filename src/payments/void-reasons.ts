import type { SaleId } from '../core/ids.ts';

const DUPLICATE_OF = 'the same payment as sale ';

/** The void reason of a sale whose payment already has another sale. */
export function duplicateOf(saleId: SaleId): string {
  return `${DUPLICATE_OF}${saleId}`;
}

/** False for a sale that another service voided before it was imported. */
export function isDuplicate(voidedReason: string): boolean {
  return voidedReason.startsWith(DUPLICATE_OF);
}
