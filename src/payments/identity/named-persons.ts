import type { Interpretation } from '../../core/facts.ts';
import { identityKeysOf } from '../../core/identity.ts';
import type { Transaction } from '../../storage/database.ts';
import { type CustomerRow, findCustomerById } from '../queries/customers.ts';
import { findProcessorIdentities, type StoredIdentity } from '../queries/identities.ts';
import type { ProcessorScope } from '../scope.ts';

/** What is stored about the persons that facts name by the processor's ids. */
export interface NamedPersons {
  identities: StoredIdentity[];
  customers: (CustomerRow | undefined)[];
}

export async function findNamedPersons(
  tx: Transaction,
  scope: ProcessorScope,
  interpretation: Interpretation,
): Promise<NamedPersons> {
  const named: NamedPersons = { identities: [], customers: [] };
  for (const fact of interpretation.kind === 'facts' ? interpretation.facts : []) {
    const keys = 'customer' in fact && fact.customer !== undefined ? identityKeysOf(fact.customer) : [];
    if (keys.length > 0) named.identities.push(...(await findProcessorIdentities(tx, scope, keys)));
  }
  for (const { customerId } of named.identities) {
    if (customerId !== null) named.customers.push(await findCustomerById(tx, scope.accountId, customerId));
  }
  return named;
}

/**
 * What of it tells that a report has been received before, whose other members may have been replaced by later ones since:
 * which ids are known, and whose they are.
 */
export function knownIdsOf({ identities }: NamedPersons): unknown[] {
  return identities.map(({ kind, customerId }) => ({ kind, customerId }));
}
