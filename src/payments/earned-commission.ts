import { claimKeys } from '../app/claims.ts';
import {
  type CommissionedSale,
  commissionFor,
  type EarnedCommission,
  refused,
  type SaleTerms,
} from '../core/commission.ts';
import type { CustomerId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { firstSaleAt } from './queries/sales.ts';

/** A sale, when its partner or program was archived, and when its customer's first sale was made. */
export interface EarningSale extends CommissionedSale {
  archivedAt: number | null;
  firstSaleAt: number | null;
}

/** What a sale earns on these terms, by its time and by the customer's other sales. */
export function earnedCommission(
  { archivedAt, firstSaleAt: first, ...sale }: EarningSale,
  terms: SaleTerms,
): EarnedCommission {
  if (archivedAt !== null && sale.occurredAt >= archivedAt) return NOTHING;
  return commissionFor(sale, terms, first);
}

/** When the customer's first sale was made, if the terms go by that; otherwise null, as without a sale. */
export async function firstSaleFor(
  tx: Transaction,
  customerId: CustomerId,
  { durationMonths }: SaleTerms,
): Promise<number | null> {
  if (durationMonths === null) return null;
  // two payments of a customer that were found by different ids have no other key in common
  await tx.claim(() => [claimKeys.firstSale(customerId)]);
  return firstSaleAt(tx, customerId);
}

/** After archiving, payments earn nothing for the partner, no matter when they are reported. */
const NOTHING = refused('the partner or the program was archived when this was paid');
