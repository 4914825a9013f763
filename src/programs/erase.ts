import type { AccountId, PartnerId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { findDeletedPartner } from './queries/archive.ts';
import { type Partner, updatePartner } from './queries/partners.ts';
import { updatePayoutDetails } from './queries/payout-details.ts';

/** Members of a partner that identify the person. */
export const PERSONAL_MEMBERS = ['name', 'email', 'payoutDetails'] as const;

/**
 * Replaces name and e-mail address, and removes the payout details. Ids, codes, links and earnings stay. The caller has
 * claimed the partner.
 */
export async function erasePartnerName(tx: Transaction, partner: Partner): Promise<void> {
  await updatePartner(tx, { ...partner, ...erasedNames(partner.id) });
  await updatePayoutDetails(tx, partner.id, { masked: null, sealed: null });
}

/** True for a partner of the account whose row has no data any more, while the audit log and events may still name them. */
export async function isDeletedPartner(tx: Transaction, accountId: AccountId, id: string): Promise<boolean> {
  return (await findDeletedPartner(tx, accountId, id)) !== undefined;
}

/** What stands in place of an erased partner's name. */
export const ERASED_NAME = 'Erased partner';

/** An address that can belong to nobody (RFC 2606) and is unique to the partner. */
function erasedNames(id: PartnerId) {
  return { name: ERASED_NAME, email: `${id}@erased.invalid` };
}
