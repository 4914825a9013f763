import { claimKeys } from '../app/claims.ts';
import type { CustomerHints, CustomerIdentified, FactOutcome } from '../core/facts.ts';
import { identityFrom, identityKeysOf } from '../core/identity.ts';
import type { AccountId, CustomerId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { backfillParked } from './backfill.ts';
import { fillProfile } from './queries/customers.ts';
import { findProcessorIdentities, storeIdentity } from './queries/identities.ts';
import { findOwnerByExternalId } from './queries/owners.ts';
import type { ProcessorScope } from './scope.ts';

/**
 * Stores the ids, e-mail address and name that a processor reported about a person, and attributes the payments parked
 * for them.
 */
export async function identifyCustomer(
  tx: Transaction,
  scope: ProcessorScope,
  { customer: hints }: CustomerIdentified,
): Promise<FactOutcome> {
  const keys = identityKeysOf(hints);
  const stored = keys.length === 0 ? [] : await findProcessorIdentities(tx, scope, keys);
  const identity = identityFrom(hints, null, stored);
  identity.customerId ??= await findCustomerId(tx, scope.accountId, hints, identity.externalId);
  const learned = (await storeIdentity(tx, scope, keys, identity)) > 0;
  const { customerId, email, name } = identity;
  if (customerId !== null && (email !== null || name !== null)) {
    await fillProfile(tx, customerId, { email, name, avatar: null });
  }
  const { saleIds } = await backfillParked(tx, scope, {
    newCustomer: null,
    email: customerId === null ? null : email,
    identities: learned ? { processor: scope.processor, keys } : null,
  });
  const [saleId] = saleIds;
  if (saleId !== undefined) return { outcome: 'noted', reason: `attributed ${saleIds.join(', ')}`, saleId };
  return { outcome: 'noted', reason: learned ? 'identity learned' : null, saleId: null };
}

/**
 * The customer of the first external id in the hints that belongs to one; otherwise the customer of the stored external
 * id.
 */
async function findCustomerId(
  tx: Transaction,
  accountId: AccountId,
  hints: CustomerHints,
  storedExternalId: string | null,
): Promise<CustomerId | null> {
  const externalIds = new Set(hints.externalIds.map(({ value }) => value));
  if (storedExternalId !== null) externalIds.add(storedExternalId);
  for (const externalId of externalIds) {
    await tx.claim(() => [claimKeys.external(accountId, externalId)]);
    const owner = await findOwnerByExternalId(tx, accountId, externalId);
    if (owner) return owner.customerId;
  }
  return null;
}
