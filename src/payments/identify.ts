import { claimKeys } from '../app/claims.ts';
import type { CustomerHints } from '../core/facts.ts';
import type { Transaction } from '../storage/database.ts';
import { fillProfile } from './queries/customers.ts';
import { countTied, findIdentity, type Identity, type IdentityKey, rememberIdentity } from './queries/identities.ts';
import { findOwnerByExternalId } from './queries/owners.ts';

const NOTHING: Readonly<Identity> = { externalId: null, clickId: null, email: null, name: null, customerId: null };

/** The processor's ids in the hints; empty when it named none. */
export function identityKeysOf(customer: CustomerHints): IdentityKey[] {
  const keys: IdentityKey[] = [];
  if (customer.processorCustomerId !== null) keys.push({ kind: 'customer', value: customer.processorCustomerId });
  if (customer.subscriptionId !== null) keys.push({ kind: 'subscription', value: customer.subscriptionId });
  return keys;
}

/**
 * Remembers for the processor's ids what the hints say of the person behind them, and lets a customer and its
 * subscription know of each other. `customerId` is the customer when it is known already, as for a payment that was
 * just attributed.
 *
 * @returns whether something was new, and who it is now, where known
 */
export async function learnIdentity(
  tx: Transaction,
  accountId: string,
  processor: string,
  customer: CustomerHints,
  customerId: string | null,
): Promise<{ learned: boolean; customerId: string | null }> {
  const keys = identityKeysOf(customer);
  // the rule: somebody who paid before pays again
  if (customerId !== null && (await countTied(tx, accountId, processor, keys)) === keys.length) {
    return { learned: false, customerId };
  }
  const known = { ...NOTHING };
  const hinted: Identity = {
    externalId: customer.externalIds[0]?.value ?? null,
    clickId: customer.clickIds[0]?.value ?? null,
    email: customer.email,
    name: customer.name,
    customerId,
  };
  fill(known, hinted);
  if (customerId === null) {
    for (const key of keys) fill(known, (await findIdentity(tx, accountId, processor, key)) ?? NOTHING);
    known.customerId ??= await customerOf(tx, accountId, customer, known.externalId);
  }
  let changes = 0;
  for (const key of keys) changes += await rememberIdentity(tx, accountId, processor, key, known);
  return { learned: changes > 0, customerId: known.customerId };
}

/** Fills blanks of the stored customer with what a processor says of it. */
export async function fillCustomer(tx: Transaction, customerId: string, customer: CustomerHints): Promise<void> {
  const { email, name } = customer;
  if (email !== null || name !== null) await fillProfile(tx, customerId, { email, name, avatar: null });
}

/** The first of the hinted external ids that is a customer; else the remembered one. */
async function customerOf(
  tx: Transaction,
  accountId: string,
  customer: CustomerHints,
  externalId: string | null,
): Promise<string | null> {
  const values = new Set([
    ...customer.externalIds.map((hint) => hint.value),
    ...(externalId === null ? [] : [externalId]),
  ]);
  for (const value of values) {
    await tx.claim(() => [claimKeys.external(accountId, value)]);
    const owner = await findOwnerByExternalId(tx, accountId, value);
    if (owner) return owner.customerId;
  }
  return null;
}

function fill(known: Identity, more: Identity): void {
  known.externalId ??= more.externalId;
  known.clickId ??= more.clickId;
  known.email ??= more.email;
  known.name ??= more.name;
  known.customerId ??= more.customerId;
}
