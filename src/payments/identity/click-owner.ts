import type { CustomerHints } from '../../core/facts.ts';
import type { AccountId } from '../../core/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import { type CustomerRow, findCustomerByClick } from '../queries/customers.ts';
import { type ClickOwner, findOwnerByClick, findOwnerByCustomer, type Owner } from '../queries/owners.ts';

/** The owner of a payment that names a click, as `ownerOfPayer` returns it; undefined when the click is unknown. */
export async function findPayerByClick(
  tx: Transaction,
  accountId: AccountId,
  clickId: string,
  hints: CustomerHints,
): Promise<Owner | undefined> {
  const owner = await findOwnerByClick(tx, accountId, clickId);
  return owner && ownerOfPayer(tx, accountId, owner, hints);
}

/**
 * The owner of a payment by this click. A customer whose first click it is stays with the partner who brought the
 * customer, even if the link has moved to another partner since. Somebody else, whom the payment names by an external id,
 * becomes a customer of the partner who has the link now, as with a lead.
 */
export async function ownerOfPayer(
  tx: Transaction,
  accountId: AccountId,
  owner: ClickOwner,
  { externalIds }: CustomerHints,
): Promise<Owner> {
  const customer = await findCustomerByClick(tx, accountId, owner.clickId);
  if (customer === undefined) return owner;
  const isPayer =
    customer.externalId === null ||
    externalIds.length === 0 ||
    externalIds.some(({ value }) => value === customer.externalId);
  return isPayer ? withPartnerOf(tx, accountId, owner, customer) : owner;
}

/** The click's owner, with the partner, program and terms of the customer whose first click it is. */
export async function withPartnerOf(
  tx: Transaction,
  accountId: AccountId,
  owner: Owner,
  { id, partnerId }: Pick<CustomerRow, 'id' | 'partnerId'>,
): Promise<Owner> {
  if (partnerId === owner.partnerId) return owner;
  const bound = await findOwnerByCustomer(tx, accountId, id);
  if (bound === undefined) return owner;
  const { programId, partnerEmail, terms, selfReferral, archivedAt } = bound;
  return { ...owner, partnerId, programId, partnerEmail, terms, selfReferral, archivedAt };
}
