import type { Interpretation } from '../../core/facts.ts';
import { identityKeysOf } from '../../core/identity.ts';
import type { Transaction } from '../../storage/database.ts';
import { type CustomerRow, findCustomerById } from '../queries/customers.ts';
import { findProcessorIdentities, type StoredIdentity } from '../queries/identities.ts';
import type { ProcessorScope } from '../scope.ts';

/** What is stored about the persons that facts identify by the processor's ids. */
export interface NamedPersons {
  identities: StoredIdentity[];
  customers: (CustomerRow | undefined)[];
}

/** Null if the facts do more than identify persons. */
export async function findNamedPersons(
  tx: Transaction,
  scope: ProcessorScope,
  interpretation: Interpretation,
): Promise<NamedPersons | null> {
  if (interpretation.kind !== 'facts') return null;
  const named: NamedPersons = { identities: [], customers: [] };
  for (const fact of interpretation.facts) {
    if (fact.kind === 'noted') continue;
    if (fact.kind !== 'customer.identified') return null;
    const keys = identityKeysOf(fact.customer);
    const identities = keys.length === 0 ? [] : await findProcessorIdentities(tx, scope, keys);
    named.identities.push(...identities);
    for (const { customerId } of identities) {
      if (customerId !== null) named.customers.push(await findCustomerById(tx, scope.accountId, customerId));
    }
  }
  return named;
}
