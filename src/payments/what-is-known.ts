import type { Interpretation } from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import { findNamedPersons } from './identity/named-persons.ts';
import type { ProcessorScope } from './scope.ts';
import { findUnsoldPayments } from './unsold-payments.ts';

/**
 * What is stored about the persons, and the payments without a sale, that facts name, to compare: it differs before and after
 * facts are applied that say something new about them.
 */
export async function whatIsKnown(
  tx: Transaction,
  scope: ProcessorScope,
  interpretation: Interpretation,
): Promise<unknown> {
  return {
    persons: await findNamedPersons(tx, scope, interpretation),
    payments: await findUnsoldPayments(tx, scope, interpretation),
  };
}
