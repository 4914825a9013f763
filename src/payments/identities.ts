import type { CustomerHints } from '../core/facts.ts';
import { type IdentityKey, identityFrom, identityKeysOf } from '../core/identity.ts';
import type { CustomerId } from '../core/ids.ts';
import type { PaymentProcessor } from '../core/processor.ts';
import type { Transaction } from '../storage/database.ts';
import { findProcessorIdentities, type StoredIdentity, storeIdentity } from './queries/identities.ts';
import type { ProcessorScope } from './scope.ts';

/**
 * What a processor says about a person, which customer that person is, and the identities stored for the person's ids.
 */
export interface Identification {
  hints: CustomerHints;
  /** Null when the customer is unknown. */
  customerId: CustomerId | null;
  /** Null when not yet looked up. */
  stored: readonly StoredIdentity[] | null;
}

/** A processor's ids of one person. */
export interface ProcessorIds {
  processor: PaymentProcessor;
  keys: readonly IdentityKey[];
}

/**
 * Stores what the hints say about the person for each of the processor's ids, so that a customer id and its
 * subscription id share it.
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
