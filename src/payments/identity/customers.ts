import type { CustomerHints } from '../../core/facts.ts';
import type { CustomerId } from '../../core/ids.ts';
import { createId } from '../../ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { isErased, readAndErase } from '../erasure/erase.ts';
import {
  type CustomerProfile,
  type CustomerRow,
  fillProfile,
  findCustomer,
  findCustomerByClick,
  identifyGuest,
  insertCustomer,
  overwriteProfile,
} from '../queries/customers.ts';
import type { Owner } from '../queries/owners.ts';
import type { Scope } from '../scope.ts';

/** The customer who paid, and what this unit has just learned about them. */
export interface Buyer {
  id: CustomerId;
  /** The address stored before this payment; null when there was none. */
  email: string | null;
  /** Set when this unit created the customer with this external id, gave the id to a guest, or moved the customer. */
  newExternalId: string | null;
  /** Set when this unit learned this e-mail address. */
  newEmail: string | null;
}

/** A customer that a caller or a processor names, with its profile. */
export interface NamedCustomer {
  externalId: string;
  /** The permanent origin of the customer, if it is new. */
  owner: Owner;
  profile: CustomerProfile;
  /** Whether the sent values only fill the blanks of a stored profile or overwrite it. */
  update: 'fill' | 'overwrite';
}

export interface BoundCustomer {
  customer: CustomerRow;
  /** True when the customer is new to the account, so that parked payments may be waiting for them. */
  isNew: boolean;
}

/**
 * The account's customer with this external id. A new customer is created and permanently bound to the click, link and
 * partner of `owner`. If `owner` is a guest, the guest becomes this customer.
 *
 * @param known the stored customer, if there is one
 */
export async function bindCustomer(
  tx: Transaction,
  scope: Scope,
  { externalId, owner, profile, update }: NamedCustomer,
  known: CustomerRow | undefined,
): Promise<BoundCustomer> {
  if (known) return { customer: await updateProfile(tx, known, profile, update), isNew: false };
  if (owner.customerId !== null && owner.externalId === null) {
    const guest = await identifyGuest(tx, owner.customerId, externalId);
    if (guest) {
      const customer = await withoutErasedGuest(tx, scope, guest, externalId);
      return { customer: await updateProfile(tx, customer, profile, 'fill'), isNew: true };
    }
  }
  return { customer: createCustomer(tx, scope, owner, { externalId, ...profile }), isNew: true };
}

/** The customer as a buyer. `reportedEmail`: the address in the report of the payment, if it may be new; otherwise null. */
export function asBuyer({ customer, isNew }: BoundCustomer, reportedEmail: string | null): Buyer {
  const { id, externalId, email } = customer;
  return { id, email, newExternalId: isNew ? externalId : null, newEmail: isNew ? email : reportedEmail };
}

/** Erases what is stored about a guest who turns out to be a person who was erased. */
async function withoutErasedGuest(
  tx: Transaction,
  scope: Scope,
  guest: CustomerRow,
  externalId: string,
): Promise<CustomerRow> {
  if (!(await isErased(tx, scope.accountId, externalId))) return guest;
  await readAndErase(tx, scope, guest);
  return { ...guest, email: null, name: null, avatar: null };
}

/** The customer that attribution found for a webhook payment; otherwise creates one from the payment's hints. */
export async function requireBuyer(tx: Transaction, scope: Scope, owner: Owner, hints: CustomerHints): Promise<Buyer> {
  const externalId = hints.externalIds[0]?.value ?? null;
  const profile = { email: hints.email, name: hints.name, avatar: hints.avatar ?? null };
  if (owner.customerId !== null && (owner.externalId !== null || externalId === null)) {
    return fillBuyer(tx, { ...owner, id: owner.customerId, avatar: null }, profile);
  }
  if (externalId !== null) {
    const stored = await findCustomer(tx, scope.accountId, externalId);
    const bound = await bindCustomer(tx, scope, { externalId, owner, profile, update: 'fill' }, stored);
    return asBuyer(bound, hints.email);
  }
  const known = owner.clickId === null ? undefined : await findCustomerByClick(tx, scope.accountId, owner.clickId);
  if (known) return fillBuyer(tx, known, profile);
  const { id, email } = createCustomer(tx, scope, owner, { externalId: null, ...profile });
  return { id, email, newExternalId: null, newEmail: email };
}

async function fillBuyer(
  tx: Transaction,
  known: CustomerProfile & { id: CustomerId },
  profile: CustomerProfile,
): Promise<Buyer> {
  if (hasBlankFor(known, profile)) tx.unawaited(fillProfile(tx, known.id, profile));
  const newEmail = known.email === null ? profile.email : null;
  return { id: known.id, email: known.email, newExternalId: null, newEmail };
}

function createCustomer(
  tx: Transaction,
  { accountId, now }: Scope,
  { clickId, linkId, partnerId, programId }: Owner,
  person: CustomerProfile & { externalId: string | null },
): CustomerRow {
  const { externalId, email, name, avatar } = person;
  const bound = { clickId, linkId, partnerId, programId, createdAt: now };
  const customer: CustomerRow = { id: createId('cus'), externalId, email, name, avatar, ...bound };
  tx.unawaited(insertCustomer(tx, accountId, customer));
  return customer;
}

/** Returns the customer with the updated profile. Writes only when something changed. */
async function updateProfile(
  tx: Transaction,
  customer: CustomerRow,
  profile: CustomerProfile,
  update: NamedCustomer['update'],
): Promise<CustomerRow> {
  if (update === 'fill') {
    return hasBlankFor(customer, profile) ? ((await fillProfile(tx, customer.id, profile)) ?? customer) : customer;
  }
  return differs(customer, profile) ? ((await overwriteProfile(tx, customer.id, profile)) ?? customer) : customer;
}

function hasBlankFor(stored: CustomerProfile, sent: CustomerProfile): boolean {
  return (
    (stored.email === null && sent.email !== null) ||
    (stored.name === null && sent.name !== null) ||
    (stored.avatar === null && sent.avatar !== null)
  );
}

function differs(stored: CustomerProfile, sent: CustomerProfile): boolean {
  return (
    (sent.email !== null && sent.email !== stored.email) ||
    (sent.name !== null && sent.name !== stored.name) ||
    (sent.avatar !== null && sent.avatar !== stored.avatar)
  );
}
