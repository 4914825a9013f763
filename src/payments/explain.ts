import type { TraceStep } from '../core/attribution.ts';
import type { Interpretation } from '../core/facts.ts';
import type { ClickId, CustomerId, PartnerId } from '../core/ids.ts';
import type { FactOutcome } from '../core/outcome.ts';
import { collectEntries } from '../ledger/collected-entries.ts';
import type { Transaction } from '../storage/database.ts';
import { applyInterpretation } from './apply-facts.ts';
import { findSale } from './queries/list-sales.ts';
import { claimNamedPayments } from './queries/references.ts';
import type { DeliveryScope } from './scope.ts';

/** What a delivery did to its sale or parked payment, as seen inside the unit of work that applied it. */
export interface ExplainedEffect extends FactOutcome {
  /** Null without a payment; `matchedBy` is null for a parked payment. */
  attribution: { matchedBy: string | null; steps: TraceStep[] } | null;
  partnerId: PartnerId | null;
  partnerName: string | null;
  /** Of the sale. */
  customerId: CustomerId | null;
  clickId: ClickId | null;
  /**
   * What the delivery added to the partner's ledger in this currency, for all sales together, in signed minor units; null
   * when the delivery has no sale.
   */
  commissionAmount: number | null;
  currency: string | null;
}

/** Of a delivery that has no sale. */
export const NO_SALE = { partnerId: null, partnerName: null, customerId: null, clickId: null } as const;

/** Applies an interpreted delivery and reads its effect. The caller rolls the unit back. */
export async function applyAndExplain(
  tx: Transaction,
  scope: DeliveryScope,
  interpretation: Interpretation,
): Promise<ExplainedEffect> {
  const { accountId } = scope;
  const added = collectEntries(tx);
  const outcome = await applyInterpretation(tx, scope, interpretation);
  await tx.settled();
  const nothing = { ...NO_SALE, commissionAmount: null, currency: null };
  // a delivery that only joins two payments may take back what a waiting refund returned
  const saleId = outcome.saleId ?? added.find((entry) => entry.saleId !== null)?.saleId ?? null;
  const sale = saleId && (await findSale(tx, accountId, saleId, scope.now));
  if (!sale) {
    const steps = await stepsOfParked(tx, scope, interpretation);
    return { ...outcome, attribution: steps && { matchedBy: null, steps }, ...nothing };
  }
  const { partnerId, partnerName, customerId, clickId, currency } = sale;
  const earned = added.filter((entry) => entry.partnerId === partnerId && entry.currency === currency);
  return {
    ...outcome,
    attribution: { matchedBy: sale.matchedBy, steps: sale.steps },
    partnerId,
    partnerName,
    customerId,
    clickId,
    commissionAmount: earned.reduce((sum, { amount }) => sum + amount, 0),
    currency,
  };
}

/** The steps of the parked payment that the facts name; null when there is none. */
async function stepsOfParked(tx: Transaction, { accountId, processor }: DeliveryScope, interpretation: Interpretation) {
  const facts = interpretation.kind === 'facts' ? interpretation.facts : [];
  for (const fact of facts) {
    if (!('references' in fact) || fact.references.length === 0) continue;
    const invoiceId = fact.kind === 'payment.received' ? fact.invoiceId : null;
    const named = await claimNamedPayments(tx, accountId, { processor, references: fact.references, invoiceId });
    const parked = named.find((payment) => payment.parked !== null)?.parked;
    if (parked) return parked.steps;
  }
  return null;
}
