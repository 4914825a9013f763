import type { Interpretation } from '../../core/facts.ts';
import { identityKeysOf } from '../../core/identity.ts';
import type { Transaction } from '../../storage/database.ts';
import { type CustomerRow, findCustomerById } from '../queries/customers.ts';
import { findProcessorIdentities, type StoredIdentity } from '../queries/identities.ts';
import type { ProcessorScope } from '../scope.ts';

/** What is stored about the persons whom facts name by the processor's ids. */
export interface NamedPersons {
  identities: StoredIdentity[];
  /** Only of those whom the facts identify: a payment fills gaps of a profile, too, but nobody waits for that. */
  customers: (CustomerRow | undefined)[];
}

export async function findNamedPersons(
  tx: Transaction,
  scope: ProcessorScope,
  interpretation: Interpretation,
): Promise<NamedPersons> {
  const named: NamedPersons = { identities: [], customers: [] };
  if (interpretation.kind !== 'facts') return named;
  for (const fact of interpretation.facts) {
    if (!('customer' in fact) || fact.customer === undefined) continue;
    const keys = identityKeysOf(fact.customer);
    const identities = keys.length === 0 ? [] : await findProcessorIdentities(tx, scope, keys);
    named.identities.push(...identities);
    if (fact.kind !== 'customer.identified') continue;
    for (const { customerId } of identities) {
      if (customerId !== null) named.customers.push(await findCustomerById(tx, scope.accountId, customerId));
    }
  }
  return named;
}
