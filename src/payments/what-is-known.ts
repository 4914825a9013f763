import type { Interpretation } from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import { findNamedPersons, knownIdsOf } from './identity/named-persons.ts';
import type { ProcessorScope } from './scope.ts';
import { findUnsoldPayments } from './unsold-payments.ts';

/**
 * What is stored about the persons and payments that facts name, to compare: it differs before and after facts are applied
 * that say something new. Payments that are sales are not in it.
 */
export async function whatIsKnown(
  tx: Transaction,
  scope: ProcessorScope,
  interpretation: Interpretation,
): Promise<unknown> {
  const persons = await findNamedPersons(tx, scope, interpretation);
  return {
    persons: saysOnlyWhoSomebodyIs(interpretation) ? persons : knownIdsOf(persons),
    payments: await findUnsoldPayments(tx, scope, interpretation),
  };
}

function saysOnlyWhoSomebodyIs(interpretation: Interpretation): boolean {
  if (interpretation.kind !== 'facts') return false;
  return interpretation.facts.every(({ kind }) => kind === 'customer.identified' || kind === 'noted');
}
