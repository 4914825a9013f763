import type { Fact, Interpretation } from '../core/facts.ts';
import { waitsUntil } from '../core/payment.ts';
import type { Transaction } from '../storage/database.ts';
import type { ExplainedEffect } from './explain.ts';
import { findCustomerTime } from './queries/customers.ts';
import type { DeliveryScope } from './scope.ts';

/**
 * True for a payment that would not count if it had been delivered when it was made: it waits `parkedDays` for its customer,
 * and nobody was known by then. Whom the payment's own click names was known before it.
 *
 * @param effect what the payment became now, in the same unit of work
 */
export async function isTooEarly(
  tx: Transaction,
  { accountId, parkedDays, now }: DeliveryScope,
  interpretation: Interpretation,
  { outcome, saleId, attribution }: ExplainedEffect,
): Promise<boolean> {
  const facts = interpretation.kind === 'facts' ? interpretation.facts : [];
  const payment = facts.find(isOfMoney);
  if (payment === undefined) return false;
  const waitedUntil = waitsUntil(payment.occurredAt, parkedDays);
  if (outcome === 'unattributed') return waitedUntil <= now;
  if (outcome !== 'sale' || saleId === null || attribution?.matchedBy === 'metadata_click_id') return false;
  const knownSince = await findCustomerTime(tx, accountId, saleId);
  return knownSince !== null && waitedUntil <= knownSince;
}

/** The facts that are left of a report whose payment does not count: who paid, and what it names. */
export function withoutPayments(facts: readonly Fact[]): Fact[] {
  return facts.flatMap((fact): Fact[] => {
    if (!isOfMoney(fact)) return [fact];
    if (fact.kind === 'payment.captured') return [];
    const { customer, discountCodes, occurredAt } = fact;
    return [{ kind: 'customer.identified', customer, discountCodes, occurredAt }];
  });
}

type MoneyFact = Extract<Fact, { kind: 'payment.received' | 'payment.announced' | 'payment.captured' }>;

/** Whether this may become a sale. */
function isOfMoney(fact: Fact): fact is MoneyFact {
  return fact.kind === 'payment.received' || fact.kind === 'payment.announced' || fact.kind === 'payment.captured';
}
