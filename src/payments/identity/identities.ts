import type { SaleMatch } from '../../core/attribution.ts';
import type { CustomerHints } from '../../core/facts.ts';
import { type IdentityKey, identityKeysOf, type Statement, statementOf } from '../../core/identity.ts';
import type { CustomerId } from '../../core/ids.ts';
import type { PaymentProcessor } from '../../core/processor.ts';
import type { Transaction } from '../../storage/database.ts';
import { findProcessorIdentities, type StoredIdentity, storeIdentity } from '../queries/identities.ts';
import type { ProcessorScope } from '../scope.ts';
import { assignIds } from './assign-ids.ts';

/**
 * What a processor says about a person, which customer that person is, and the identities stored for the person's ids.
 */
export interface Identification {
  hints: CustomerHints;
  /** Null when the customer is unknown. */
  customerId: CustomerId | null;
  /** Null when not yet looked up. */
  stored: readonly StoredIdentity[] | null;
  /** How a payment found the customer; null when another report decided. */
  matchedBy: SaleMatch | null;
  /** Set when payments may wait under ids that were this customer's before: the customer has just been moved. */
  isMoved?: boolean;
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
 * @returns the ids if anything about them was new, without those that were this customer's before: a customer with many
 *   subscriptions would otherwise be looked for under the customer's id with each of them. Null if nothing was new. All
 *   of them for a customer who was moved
 */
export async function learnIdentity(
  tx: Transaction,
  scope: ProcessorScope,
  { hints, customerId, stored, matchedBy, isMoved = false }: Identification,
): Promise<ProcessorIds | null> {
  const keys = identityKeysOf(hints);
  if (keys.length === 0) return null;
  const known = stored ?? (await findProcessorIdentities(tx, scope, keys));
  const changed =
    customerId === null
      ? await storeStatement(tx, scope, hints, known)
      : await assignIds(tx, scope, { hints, customerId, stored: known, matchedBy });
  if (isMoved) return { processor: scope.processor, keys };
  if (changed === 0) return null;
  const isKnown = ({ kind }: IdentityKey) =>
    customerId !== null && known.some((identity) => identity.kind === kind && identity.customerId === customerId);
  return { processor: scope.processor, keys: keys.filter((key) => !isKnown(key)) };
}

/** True when hints whose customer is not known say more about a processor's id in them than was stored for it. */
export function tellsMore(hints: CustomerHints, stored: readonly StoredIdentity[]): boolean {
  const { keys, identity } = statementIn(hints, stored);
  const members = ['externalId', 'clickId', 'email'] as const;
  return keys.some(({ kind }) => {
    const known = stored.find((one) => one.kind === kind);
    return (
      known?.customerId === null && members.some((member) => (identity[member] ?? known[member]) !== known[member])
    );
  });
}

/** Assigns no id to a customer, even if one of another program is known: whoever does also looks for waiting payments. */
function storeStatement(
  tx: Transaction,
  scope: ProcessorScope,
  hints: CustomerHints,
  stored: readonly StoredIdentity[],
): Promise<number> {
  const { keys, identity } = statementIn(hints, stored);
  return storeIdentity(tx, scope, keys, identity);
}

function statementIn(hints: CustomerHints, stored: readonly StoredIdentity[]): Statement {
  const unassigned = stored.filter(({ customerId }) => customerId === null);
  return statementOf(hints, hints.externalIds.length > 0 ? null : undefined, unassigned);
}
