import { claimsOfCustomer } from '../app/claims.ts';
import type { PaymentReceived } from '../core/facts.ts';
import type { FactOutcome } from '../core/outcome.ts';
import type { Transaction } from '../storage/database.ts';
import { identifyCustomer } from './identify-customer.ts';
import { updateParkedPayment } from './park.ts';
import type { Payment } from './queries/payments.ts';
import type { DeliveryScope } from './scope.ts';

const REASON = 'this payment is parked and has expired: only a person can attribute it';

/**
 * Adds a later report to a parked payment that has expired, which it does not attribute. What the report says about its
 * customer still counts for other payments.
 *
 * @param fact the report, merged with what was known
 */
export async function updateExpired(
  tx: Transaction,
  scope: DeliveryScope,
  { id: paymentId, parked }: Payment,
  fact: PaymentReceived,
): Promise<FactOutcome> {
  const { customer, occurredAt } = fact;
  await tx.claim(() => claimsOfCustomer(scope.accountId, scope.processor, customer));
  await identifyCustomer(tx, scope, { kind: 'customer.identified', customer, occurredAt });
  await updateParkedPayment(tx, scope, { paymentId, fact, steps: parked?.steps ?? [], identities: null });
  return { outcome: 'noted', reason: REASON, saleId: null };
}
