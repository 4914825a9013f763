import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { getPartner } from '../programs/partners.ts';

/** The name of a partner of this account; looked up once each. */
export type PartnerName = (id: string) => string;

/** Looks up the names that a table shows in place of ids. */
export async function partnerNames(
  service: Service,
  accountId: AccountId,
  ids: Iterable<string>,
): Promise<PartnerName> {
  const names = new Map<string, string>();
  for (const id of new Set(ids)) names.set(id, (await getPartner(service, accountId, id)).name);
  return (id) => names.get(id) ?? id;
}
