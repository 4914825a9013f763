import { claimsOf } from '../app/claims.ts';
import {
  type CustomerIdentified,
  type Fact,
  type Interpretation,
  type Outcome,
  strongestOutcome,
} from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import { attributeWaitingForEmail, attributeWaitingForIdentities } from './attribute-waiting.ts';
import { fillCustomer, identityKeysOf, learnIdentity } from './identify.ts';
import { type DeliveryScope, type FactOutcome, receivePayment } from './receive-payment.ts';
import { disputePayment, referencePayment, refundPayment } from './receive-reversal.ts';

/**
 * Makes of an interpreted delivery what it means for sales, ledger and identities, inside the caller's unit of work.
 * The outcome is the strongest of its facts'; reasons are put together.
 */
export async function applyInterpretation(
  tx: Transaction,
  scope: DeliveryScope,
  interpretation: Interpretation,
): Promise<FactOutcome> {
  if (interpretation.kind !== 'facts') {
    return { outcome: interpretation.kind, reason: interpretation.reason, saleId: null };
  }
  await tx.claim(() => claimsOf(scope.accountId, scope.processor, interpretation.facts));
  const results: FactOutcome[] = [];
  for (const fact of interpretation.facts) results.push(await applyFact(tx, scope, fact));
  const outcome: Outcome = strongestOutcome(results.map((result) => result.outcome));
  const reasons = new Set(results.map((result) => result.reason).filter((reason) => reason !== null));
  return {
    outcome,
    reason: reasons.size === 0 ? null : [...reasons].join('; '),
    saleId: results.find((result) => result.outcome === outcome && result.saleId !== null)?.saleId ?? null,
  };
}

/** Every kind of fact and what it does. */
async function applyFact(tx: Transaction, scope: DeliveryScope, fact: Fact): Promise<FactOutcome> {
  switch (fact.kind) {
    case 'payment.received':
      return receivePayment(tx, scope, fact);
    case 'payment.referenced':
      return referencePayment(tx, scope, fact);
    case 'payment.refunded':
    case 'payment.refund_undone':
      return refundPayment(tx, scope, fact);
    case 'payment.disputed':
      return disputePayment(tx, scope, fact);
    case 'customer.identified':
      return identifyCustomer(tx, scope, fact);
    case 'noted':
      return { outcome: 'noted', reason: fact.what, saleId: null };
  }
}

/** Ids, e-mail and name of a person are remembered; payments that waited for them are attributed. */
async function identifyCustomer(
  tx: Transaction,
  scope: DeliveryScope,
  { customer }: CustomerIdentified,
): Promise<FactOutcome> {
  const { accountId, processor } = scope;
  const { learned, customerId } = await learnIdentity(tx, accountId, processor, customer, null);
  if (customerId !== null) await fillCustomer(tx, customerId, customer);
  const sales = learned ? await attributeWaitingForIdentities(tx, scope, processor, identityKeysOf(customer)) : [];
  if (customerId !== null && customer.email !== null) {
    sales.push(...(await attributeWaitingForEmail(tx, scope, customer.email)));
  }
  const [saleId] = sales;
  if (saleId !== undefined) return { outcome: 'noted', reason: `attributed ${sales.join(', ')}`, saleId };
  return { outcome: 'noted', reason: learned ? 'identity learned' : null, saleId: null };
}
