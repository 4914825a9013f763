import type { Interpretation } from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import type { Payment } from './queries/payments.ts';
import { findNamedPayments } from './queries/references.ts';
import type { ProcessorScope } from './scope.ts';

/** A payment that is no sale, and what reports say about it. */
export interface UnsoldPayment {
  id: Payment['id'];
  reported: unknown;
}

/**
 * The payments without a sale that facts name. Leaves out when something occurred: two reports of the same may differ in it.
 */
export async function findUnsoldPayments(
  tx: Transaction,
  { accountId, processor }: ProcessorScope,
  interpretation: Interpretation,
): Promise<UnsoldPayment[]> {
  if (interpretation.kind !== 'facts') return [];
  const unsold: UnsoldPayment[] = [];
  for (const fact of interpretation.facts) {
    if (!('references' in fact)) continue;
    const invoiceId = 'invoiceId' in fact ? fact.invoiceId : null;
    const named = await findNamedPayments(tx, accountId, { processor, references: fact.references, invoiceId });
    for (const { id, saleId, awaited, parked } of named) {
      if (saleId === null) unsold.push({ id, reported: withoutTime(awaited ?? parked?.fact ?? null) });
    }
  }
  return unsold;
}

function withoutTime(report: object | null): unknown {
  return JSON.parse(JSON.stringify(report, (name, value) => (name === 'occurredAt' ? undefined : value)));
}
