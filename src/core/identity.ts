import type { CustomerHints } from './facts.ts';
import type { CustomerId } from './ids.ts';

/** A processor's id of a person. */
export interface IdentityKey {
  kind: 'customer' | 'subscription';
  value: string;
}

/** What is known about the person behind an id. */
export interface Identity {
  externalId: string | null;
  clickId: string | null;
  /** Lower case. */
  email: string | null;
  name: string | null;
  /** Our customer; null while we do not know the person. */
  customerId: CustomerId | null;
}

/** The processor's ids in the hints, at most one of each kind; may be empty. */
export function identityKeysOf(hints: CustomerHints): IdentityKey[] {
  const keys: IdentityKey[] = [];
  if (hints.processorCustomerId !== null) keys.push({ kind: 'customer', value: hints.processorCustomerId });
  if (hints.subscriptionId !== null) keys.push({ kind: 'subscription', value: hints.subscriptionId });
  return keys;
}

/** Merges the hints with the identities stored for their ids. The hints win, then `stored` in its order. */
export function identityFrom(
  hints: CustomerHints,
  customerId: CustomerId | null,
  stored: readonly Identity[] = [],
): Identity {
  const identity: Identity = {
    externalId: hints.externalIds[0]?.value ?? null,
    clickId: hints.clickIds[0]?.value ?? null,
    email: hints.email,
    name: hints.name,
    customerId,
  };
  for (const more of stored) {
    identity.externalId ??= more.externalId;
    identity.clickId ??= more.clickId;
    identity.email ??= more.email;
    identity.name ??= more.name;
    identity.customerId ??= more.customerId;
  }
  return identity;
}
