import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import {
  type CustomerProfile,
  type CustomerRow,
  fillProfile,
  findCustomer,
  insertCustomer,
  nameGuest,
} from './queries/customers.ts';
import type { Owner } from './queries/owners.ts';

/** Which account a unit of work is about, and when it happens (epoch milliseconds). */
export interface Scope {
  accountId: string;
  now: number;
}

export interface BoundCustomer {
  customer: CustomerRow;
  /** True when this unit gave the account this customer: payments may have waited for it. */
  isNew: boolean;
}

/**
 * The account's customer with this external id. One that is not there yet is created and bound to `owner`'s click, link
 * and partner for ever; where `owner` is a guest, the guest becomes it. Blanks of a stored profile are filled.
 */
export async function bindCustomer(
  tx: Transaction,
  scope: Scope,
  externalId: string,
  owner: Owner,
  profile: CustomerProfile,
): Promise<BoundCustomer> {
  const known = await findCustomer(tx, scope.accountId, externalId);
  if (known) return { customer: await withProfile(tx, known, profile), isNew: false };
  if (owner.customerId !== null && owner.externalId === null) {
    const guest = await nameGuest(tx, owner.customerId, externalId);
    if (guest) return { customer: await withProfile(tx, guest, profile), isNew: true };
  }
  return { customer: await createCustomer(tx, scope, externalId, owner, profile), isNew: true };
}

/** A customer known by its click or by a processor's id only, where `owner` has no customer yet. */
export async function createGuest(
  tx: Transaction,
  scope: Scope,
  owner: Owner,
  profile: CustomerProfile,
): Promise<CustomerRow> {
  return createCustomer(tx, scope, null, owner, profile);
}

async function createCustomer(
  tx: Transaction,
  { accountId, now }: Scope,
  externalId: string | null,
  owner: Owner,
  profile: CustomerProfile,
): Promise<CustomerRow> {
  const { clickId, linkId, partnerId, programId } = owner;
  const customer: CustomerRow = {
    id: createId('cus'),
    externalId,
    ...profile,
    clickId,
    linkId,
    partnerId,
    programId,
    createdAt: now,
  };
  if (!(await insertCustomer(tx, accountId, customer))) {
    throw new Error('The customer was claimed and looked up before, and is there all the same');
  }
  return customer;
}

async function withProfile(tx: Transaction, customer: CustomerRow, profile: CustomerProfile): Promise<CustomerRow> {
  const fills =
    (customer.email === null && profile.email !== null) ||
    (customer.name === null && profile.name !== null) ||
    (customer.avatar === null && profile.avatar !== null);
  return fills ? ((await fillProfile(tx, customer.id, profile)) ?? customer) : customer;
}
