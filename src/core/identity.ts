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

/** The processor's ids in the hints, at most one of each kind, the subscription last; may be empty. */
export function identityKeysOf(hints: CustomerHints): IdentityKey[] {
  const keys: IdentityKey[] = [];
  if (hints.processorCustomerId !== null) keys.push({ kind: 'customer', value: hints.processorCustomerId });
  if (hints.subscriptionId !== null) keys.push({ kind: 'subscription', value: hints.subscriptionId });
  return keys;
}

/** What a report makes known of some of the ids in its hints. */
export interface Statement {
  keys: IdentityKey[];
  identity: Identity;
}

/**
 * What hints say about the processor's ids in them, with what is stored. One customer of a processor may pay for several
 * customers of the caller, so hints that name somebody take over nobody from the ids beside them; hints that name nobody
 * share what is known between the ids, except with a subscription that an earlier report named somebody for.
 *
 * @param named the customer whom the hints name, null if unknown to us; undefined when they name nobody
 */
export function statementOf(
  hints: CustomerHints,
  named: CustomerId | null | undefined,
  stored: readonly (Identity & Pick<IdentityKey, 'kind'>)[],
): Statement {
  const keys = identityKeysOf(hints);
  if (named !== undefined) {
    const same = stored.filter(({ customerId }) => customerId === null || customerId === named);
    return { keys, identity: identityFrom(hints, named, same.map(withoutOwner)) };
  }
  const identity = identityFrom(hints, null, stored);
  return {
    keys: keys.filter(({ kind }) => kind === 'customer' || !stored.some((one) => one.kind === kind && isNamed(one))),
    identity: identity.customerId === null ? identity : { ...withoutOwner(identity), customerId: identity.customerId },
  };
}

/**
 * True when a report that names somebody takes the subscription away from its customer: always for another customer that
 * we know; for a click, or somebody unknown so far, only if no report named the customer that it has.
 *
 * @param named as in `statementOf`
 * @param customer the processor's customer beside it
 */
export function movesSubscription(
  subscription: Identity,
  named: CustomerId | null,
  customer: Identity | undefined,
): boolean {
  if (subscription.customerId === null || subscription.customerId === named) return false;
  // it may have this external id from the processor's customer (see `statementOf`), and not from a report that named one
  const isShared = customer !== undefined && subscription.externalId === customer.externalId;
  return named !== null || isShared || !isNamed(subscription);
}

function isNamed({ externalId, clickId }: Identity): boolean {
  return externalId !== null || clickId !== null;
}

function withoutOwner(identity: Identity): Identity {
  return { ...identity, externalId: null, clickId: null, customerId: null };
}

/** Merges the hints with the identities stored for their ids: the hints win, then `stored` in order. */
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
