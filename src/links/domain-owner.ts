import { claimKeys } from '../app/claims.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { hostOf } from './new-link.ts';
import { findDomainOwner } from './queries/links.ts';

/**
 * Claims a domain for a link. Only one account may have links on a domain, so that nobody can take keys on somebody
 * else's domain. The domain becomes free with its last link. All accounts share the service's own host.
 *
 * @throws ServiceError `CONFLICT` when another account has links on it
 */
export async function requireDomain(
  service: Service,
  tx: Transaction,
  { accountId, domain }: { accountId: AccountId; domain: string },
): Promise<void> {
  if (domain === hostOf(service.baseUrl)) return;
  await tx.claim(() => [claimKeys.linkDomain(domain)]);
  const owner = await findDomainOwner(tx, domain);
  if (owner === undefined || owner === accountId) return;
  throw new ServiceError('CONFLICT', `domain: ${domain} is taken by another account; use a domain of your own`);
}
