import { isDeepStrictEqual } from 'node:util';
import { claimsOf } from '../app/claims.ts';
import type { Fact, Interpretation } from '../core/facts.ts';
import type { SaleId } from '../core/ids.ts';
import { type FactOutcome, strongestOutcome } from '../core/outcome.ts';
import { lookAheadToSubscribers } from '../events/subscriptions.ts';
import type { ClaimKey, Transaction } from '../storage/database.ts';
import { announcePayment, capturePayment, referencePayment } from './announce.ts';
import { lookAheadToOwner } from './attribute.ts';
import { eraseByEndpoint, eraseByProcessor } from './erasure/erase-by-processor.ts';
import { lookAheadToErased, withoutErased } from './erasure/erased-facts.ts';
import { identifyCustomer } from './identify-customer.ts';
import { findNamedPayments, isNamedEarlier } from './queries/references.ts';
import { receivePayment } from './receive.ts';
import { isRefund, type KnownRefund, type RefundFact, refundConvertible, refundPayment } from './receive-refunds.ts';
import { disputePayment, settleKnown } from './receive-reversal.ts';
import type { DeliveryScope, ProcessorScope } from './scope.ts';

/**
 * Applies an interpreted delivery to sales, ledger and identities, inside the caller's unit of work. Returns the
 * strongest outcome of its facts, with all their reasons: `failed` if some of several refunds cannot be converted.
 *
 * @throws CurrencyMismatch for a single fact
 */
export async function applyInterpretation(
  tx: Transaction,
  scope: DeliveryScope,
  interpretation: Interpretation,
): Promise<FactOutcome> {
  if (interpretation.kind !== 'facts') {
    return { outcome: interpretation.kind, reason: interpretation.reason, saleId: null };
  }
  await tx.claim(() => claimsOfInterpretation(scope, interpretation));
  const results: FactOutcome[] = [];
  const facts = await withoutErased(tx, scope, interpretation.facts);
  const unsettled = new Set<SaleId>();
  const isAlone = facts.length === 1;
  for (const run of inRuns(facts)) {
    for (const result of await applyRun(tx, scope, run, isAlone)) {
      if ('unsettled' in result) unsettled.add(result.unsettled);
      else results.push(result);
    }
  }
  for (const saleId of unsettled) results.push(await settleKnown(tx, scope, saleId));
  const outcome = strongestOutcome(results.map((result) => result.outcome));
  const reasons = new Set(results.map((result) => result.reason).filter((reason) => reason !== null));
  return {
    outcome,
    reason: reasons.size === 0 ? null : [...reasons].join('; '),
    saleId: results.find((result) => result.outcome === outcome && result.saleId !== null)?.saleId ?? null,
  };
}

/** Every key that `applyInterpretation` claims first. */
export function claimsOfInterpretation(
  { accountId, processor }: ProcessorScope,
  interpretation: Interpretation,
): ClaimKey[] {
  return interpretation.kind === 'facts' ? claimsOf(accountId, processor, interpretation.facts) : [];
}

/** True when the delivery erases somebody, which takes long and changes rows that are not covered by claims. */
export function erasesSomebody(interpretation: Interpretation): boolean {
  if (interpretation.kind !== 'facts') return false;
  return interpretation.facts.some(({ kind }) => kind === 'customer.erased' || kind === 'endpoint.erased');
}

/** Prefetches what the first fact needs if it is a payment, the most frequent kind. */
export async function lookAheadOf(tx: Transaction, scope: ProcessorScope, interpretation: Interpretation) {
  const [fact] = interpretation.kind === 'facts' ? interpretation.facts : [];
  if (fact?.kind !== 'payment.received') return;
  const { processor } = scope;
  await Promise.all([
    findNamedPayments(tx, scope.accountId, { processor, references: fact.references, invoiceId: fact.invoiceId }),
    lookAheadToOwner(tx, scope, fact),
    lookAheadToErased(tx, scope.accountId),
    lookAheadToSubscribers(tx, scope.accountId),
  ]);
}

/** The fact with the reference under which an earlier version stored its payment, if it did. */
async function withEarlierName(tx: Transaction, scope: ProcessorScope, fact: Fact): Promise<Fact> {
  if (!('earlierName' in fact)) return fact;
  const { earlierName, ...named } = fact;
  if (earlierName === undefined || !(await isNamedEarlier(tx, scope, earlierName))) return named;
  return { ...named, references: [...named.references, earlierName.reference] };
}

type Run = [Fact, ...Fact[]];

/** The refunds of a run are read and written together. An order may have as many. */
const RUN_MAX = 40;

/** The facts in their order. Consecutive refunds of one payment are in one run, any other fact is in a run of its own. */
function inRuns(facts: readonly Fact[]): Run[] {
  const runs: Run[] = [];
  for (const fact of facts) {
    const run = runs.at(-1);
    if (run !== undefined && run.length < RUN_MAX && areOfOnePayment(run[0], fact)) run.push(fact);
    else runs.push([fact]);
  }
  return runs;
}

function areOfOnePayment(one: Fact, other: Fact): boolean {
  if (!isRefund(one) || !isRefund(other) || 'earlierName' in one || 'earlierName' in other) return false;
  return isDeepStrictEqual(one.references, other.references);
}

async function applyRun(
  tx: Transaction,
  scope: DeliveryScope,
  [first, ...others]: Run,
  isAlone: boolean,
): Promise<(FactOutcome | KnownRefund)[]> {
  const fact = await withEarlierName(tx, scope, first);
  if (!isRefund(fact)) return [await applyFact(tx, scope, fact)];
  const refunds = [fact, ...others.filter(isRefund)] as const;
  return isAlone ? refundPayment(tx, scope, refunds) : refundConvertible(tx, scope, refunds);
}

/** Applies one fact, by its kind. */
async function applyFact(tx: Transaction, scope: DeliveryScope, fact: Exclude<Fact, RefundFact>): Promise<FactOutcome> {
  switch (fact.kind) {
    case 'payment.received':
      return receivePayment(tx, scope, fact);
    case 'payment.announced':
      return announcePayment(tx, scope, fact);
    case 'payment.captured':
      return capturePayment(tx, scope, fact);
    case 'payment.referenced':
      return referencePayment(tx, scope, fact);
    case 'payment.disputed':
      return disputePayment(tx, scope, fact);
    case 'customer.identified':
      return identifyCustomer(tx, scope, fact);
    case 'customer.erased':
      return eraseByProcessor(tx, scope, fact);
    case 'endpoint.erased':
      return eraseByEndpoint(tx, scope);
    case 'noted':
      return { outcome: 'noted', reason: fact.what, saleId: null };
  }
}
