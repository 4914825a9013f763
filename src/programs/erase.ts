import type { PartnerId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { type Partner, updatePartner } from './queries/partners.ts';
import { updatePayoutDetails } from './queries/payout-details.ts';

/** Members of a partner that say who it is. */
export const PERSONAL_MEMBERS = ['name', 'email', 'payoutDetails'] as const;

/** Replaces name and address, and removes how the partner was paid; the caller has claimed the partner. Ids, codes, links and what was earned stay. */
export async function erasePartnerName(tx: Transaction, partner: Partner): Promise<void> {
  await updatePartner(tx, { ...partner, ...erasedNames(partner.id) });
  await updatePayoutDetails(tx, partner.id, { masked: null, sealed: null });
}

/** The address can belong to nobody (RFC 2606), and to one partner only. */
function erasedNames(id: PartnerId) {
  return { name: 'Erased partner', email: `${id}@erased.invalid` };
}
