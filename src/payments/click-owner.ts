import type { AccountId, CustomerId, PartnerId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { findCustomerByClick } from './queries/customers.ts';
import { findOwnerByClick, findOwnerByCustomer, type Owner } from './queries/owners.ts';

/** A customer, with the permanent origin. */
interface BoundCustomer {
  id: CustomerId;
  partnerId: PartnerId;
}

/**
 * The owner of a payment that names a click. A customer whose first click it is stays with the partner who brought the
 * customer, even if the link has moved to another partner since.
 */
export async function findPayerByClick(
  tx: Transaction,
  accountId: AccountId,
  clickId: string,
): Promise<Owner | undefined> {
  const owner = await findOwnerByClick(tx, accountId, clickId);
  if (owner === undefined) return undefined;
  const customer = await findCustomerByClick(tx, accountId, owner.clickId);
  return customer === undefined ? owner : withPartnerOf(tx, accountId, owner, customer);
}

/** The click's owner, with the partner, program and terms of the customer whose first click it is. */
export async function withPartnerOf<ClickOwner extends Owner>(
  tx: Transaction,
  accountId: AccountId,
  owner: ClickOwner,
  { id, partnerId }: BoundCustomer,
): Promise<ClickOwner> {
  if (partnerId === owner.partnerId) return owner;
  const bound = await findOwnerByCustomer(tx, accountId, id);
  if (bound === undefined) return owner;
  const { programId, partnerEmail, terms, selfReferral, archivedAt } = bound;
  return { ...owner, partnerId, programId, partnerEmail, terms, selfReferral, archivedAt };
}
