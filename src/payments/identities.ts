import type { CustomerHints } from '../core/facts.ts';
import { type IdentityKey, identityFrom, identityKeysOf } from '../core/identity.ts';
import type { CustomerId } from '../core/ids.ts';
import type { PaymentProcessor } from '../core/processor.ts';
import type { Transaction } from '../storage/database.ts';
import { findProcessorIdentities, type StoredIdentity, storeIdentity } from './queries/identities.ts';
import type { ProcessorScope } from './scope.ts';

/** What a processor says about a person, the customer that person is, and the stored identities of its ids. */
export interface Identification {
  hints: CustomerHints;
  /** Null when the customer is unknown. */
  customerId: CustomerId | null;
  /** Null when not looked up yet. */
  stored: readonly StoredIdentity[] | null;
}

/** A processor's ids of one person. */
export interface ProcessorIds {
  processor: PaymentProcessor;
  keys: readonly IdentityKey[];
}

/**
 * Stores for the processor's ids what the hints say about the person, and shares it between a customer id and its
 * subscription id.
 *
 * @returns the ids if anything about them was new; otherwise null
 */
export async function learnIdentity(
  tx: Transaction,
  scope: ProcessorScope,
  { hints, customerId, stored }: Identification,
): Promise<ProcessorIds | null> {
  const keys = identityKeysOf(hints);
  if (keys.length === 0) return null;
  const known = stored ?? (await findProcessorIdentities(tx, scope, keys));
  const assignedCount = known.filter((identity) => identity.customerId !== null).length;
  // the usual case: a known customer pays again
  if (customerId !== null && assignedCount === keys.length) return null;
  const identity = identityFrom(hints, customerId, customerId === null ? known : []);
  const changed = await storeIdentity(tx, scope, keys, identity);
  return changed === 0 ? null : { processor: scope.processor, keys };
}
