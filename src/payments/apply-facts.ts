import { claimsOf } from '../app/claims.ts';
import { type Fact, type FactOutcome, type Interpretation, strongestOutcome } from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import { announcePayment, capturePayment, referencePayment } from './announce.ts';
import { identifyCustomer } from './identify-customer.ts';
import { receivePayment } from './receive.ts';
import { disputePayment, refundPayment } from './receive-reversal.ts';
import type { DeliveryScope } from './scope.ts';

/**
 * Applies an interpreted delivery to sales, ledger and identities, inside the caller's unit of work. Returns the strongest
 * outcome of its facts, and all reasons.
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
  const outcome = strongestOutcome(results.map((result) => result.outcome));
  const reasons = new Set(results.map((result) => result.reason).filter((reason) => reason !== null));
  return {
    outcome,
    reason: reasons.size === 0 ? null : [...reasons].join('; '),
    saleId: results.find((result) => result.outcome === outcome && result.saleId !== null)?.saleId ?? null,
  };
}

/** Applies one fact, by its kind. */
async function applyFact(tx: Transaction, scope: DeliveryScope, fact: Fact): Promise<FactOutcome> {
  switch (fact.kind) {
    case 'payment.received':
      return receivePayment(tx, scope, fact);
    case 'payment.announced':
      return announcePayment(tx, scope, fact);
    case 'payment.captured':
      return capturePayment(tx, scope, fact);
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
