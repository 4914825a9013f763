import type { Transaction } from '../storage/database.ts';
import { type Backfill, backfillParked } from './backfill.ts';
import type { NewSale } from './queries/sales.ts';
import { recordPayment, type SellablePayment } from './record.ts';
import type { Scope } from './scope.ts';

/**
 * Turns a payment from any source into a sale, then attributes the parked payments that its identifiers match.
 *
 * @throws ServiceError `DUPLICATE_INVOICE`
 */
export async function sellPayment(
  tx: Transaction,
  scope: Scope,
  payment: SellablePayment,
): Promise<{ sale: NewSale; backfill: Backfill }> {
  const { sale, newIdentifiers, hasReportedProfile } = await recordPayment(tx, scope, payment);
  const backfill = await backfillParked(tx, scope, newIdentifiers);
  return { sale, backfill: { ...backfill, changedProfiles: backfill.changedProfiles || hasReportedProfile } };
}
