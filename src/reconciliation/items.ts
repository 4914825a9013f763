import type { DeliveryJob } from '../core/delivery.ts';
import type { Fact } from '../core/facts.ts';
import type { ReconciliationId } from '../core/ids.ts';
import type { Outcome } from '../core/outcome.ts';
import type { MissingDelivery } from '../deliveries/store-missing.ts';
import type { Item } from './queries/items.ts';

/** Their reasons contain the ids by which a person was looked for. */
const REASONS_NAME_PERSONS: ReadonlySet<Outcome> = new Set(['unattributed', 'duplicate', 'noted']);

/** What is noted of a delivery that was missing. */
export function itemOf(
  { id, now }: { id: ReconciliationId; now: number },
  { received, interpreted: { interpretation } }: DeliveryJob,
  missing: MissingDelivery,
): Item {
  const facts = interpretation?.kind === 'facts' ? interpretation.facts : [];
  const { deliveryId, outcome, saleId, partnerId, commissionAmount } = missing;
  return {
    reconciliationId: id,
    deliveryKey: received.deliveryKey,
    deliveryId,
    eventType: received.eventType,
    occurredAt: timeOf(facts) ?? now,
    invoiceId: facts.find((fact) => fact.kind === 'payment.received')?.invoiceId ?? null,
    ...moneyOf(facts),
    outcome,
    reason: REASONS_NAME_PERSONS.has(outcome) ? null : missing.reason,
    saleId,
    partnerId,
    commissionAmount,
    commissionCurrency: commissionAmount === null ? null : missing.currency,
  };
}

function timeOf(facts: readonly Fact[]): number | undefined {
  return facts.flatMap((fact) => ('occurredAt' in fact ? [fact.occurredAt] : []))[0];
}

/** What the first fact about money moves, in its own currency; nulls when none does. */
function moneyOf(facts: readonly Fact[]): Pick<Item, 'amount' | 'currency'> {
  for (const fact of facts) {
    const amount = amountOf(fact);
    if (amount !== null && 'currency' in fact) return { amount, currency: fact.currency };
  }
  return { amount: null, currency: null };
}

function amountOf(fact: Fact): number | null {
  switch (fact.kind) {
    case 'payment.received':
    case 'payment.announced':
      return fact.grossMinor;
    case 'payment.refunded':
      return 'refundId' in fact.refund ? fact.refund.amountMinor : fact.refund.cumulativeAmountMinor;
    case 'payment.captured':
    case 'payment.refund_undone':
    case 'payment.disputed':
      return fact.amountMinor;
    default:
      return null;
  }
}
