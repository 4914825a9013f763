import type { Transaction } from '../storage/database.ts';
import { type Backfill, backfillParked } from './backfill.ts';
import type { NewSale } from './queries/sales.ts';
import { learnBuyer, recordPayment, type SellablePayment } from './record.ts';
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
  // before the sale: its guard against self-referrals needs the address, and its event shows the customer
  const { reportedEmail, hasReportedProfile, newIdentifiers } = await learnBuyer(tx, scope, payment);
  const sale = await recordPayment(tx, scope, payment, reportedEmail);
  const backfill = await backfillParked(tx, scope, newIdentifiers);
  return { sale, backfill: { ...backfill, changedProfiles: backfill.changedProfiles || hasReportedProfile } };
}
