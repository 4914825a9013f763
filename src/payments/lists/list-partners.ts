import type { AccountId } from '../../core/ids.ts';
import { validationError } from '../../errors.ts';
import { partnerIdsOf } from '../../programs/tenants.ts';
import { findHolders } from '../../results/holders.ts';
import type { Transaction } from '../../storage/database.ts';

/** The filters of a list that select rows by owner; null for no restriction. */
export interface ListedPartners {
  partnerId: string | null;
  tenantId: string | null;
  linkId: string | null;
}

/** The partners whose rows a list may contain; null for all, empty for none. A link's rows are those of its holders. */
export async function listedPartnersOf(
  tx: Transaction,
  accountId: AccountId,
  { partnerId, tenantId, linkId }: ListedPartners,
): Promise<string[] | null> {
  const named = await partnerIdsOf(tx, accountId, { partnerId, tenantId });
  if (linkId === null) return named;
  const holders: string[] = await findHolders(tx, accountId, linkId);
  return named === null ? holders : named.filter((id) => holders.includes(id));
}

/**
 * The parameters that search customers by text: an external id, or an e-mail address in any case.
 *
 * @throws ServiceError `VALIDATION_ERROR` when both are given
 */
export function searchOf({ search, email }: { search: string | null; email: string | null }) {
  if (search !== null && email !== null) {
    throw validationError([{ path: 'email', message: 'cannot be combined with search, which finds addresses, too' }]);
  }
  if (search !== null) return { search, email: search.toLowerCase() };
  return email === null ? { search: null, email: null } : { search: '', email: email.toLowerCase() };
}
