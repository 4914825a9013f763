import { claimKeys } from '../app/claims.ts';
import {
  type CommissionedSale,
  commissionFor,
  type EarnedCommission,
  refused,
  type SaleTerms,
} from '../core/commission.ts';
import type { CustomerId, SaleId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { firstSaleAt, firstSaleBefore } from './queries/sales.ts';

/** A sale, its customer, and when its partner or program was archived. */
export interface EarningSale extends CommissionedSale {
  customerId: CustomerId;
  archivedAt: number | null;
  /** For a stored sale, its id: only sales that were recorded before it can make it a later one. Null for a new sale. */
  before: SaleId | null;
}

/** What a sale earns on these terms, by its time and by the customer's other sales. */
export async function earnedCommission(
  tx: Transaction,
  { customerId, archivedAt, before, ...sale }: EarningSale,
  terms: SaleTerms,
): Promise<EarnedCommission> {
  if (archivedAt !== null && sale.occurredAt >= archivedAt) return NOTHING;
  if (terms.durationMonths === null) return commissionFor(sale, terms, null);
  // two payments of a customer that were found by different ids have no other key in common
  await tx.claim(() => [claimKeys.firstSale(customerId)]);
  const first = await (before === null ? firstSaleAt(tx, customerId) : firstSaleBefore(tx, customerId, before));
  return commissionFor(sale, terms, first);
}

/** After archiving, payments earn nothing for the partner, no matter when they are reported. */
const NOTHING = refused('the partner or the program was archived when this was paid');
