import type { Service } from '../app/service.ts';
import type { AccountId, PartnerId } from '../core/ids.ts';
import { hostOf } from './new-link.ts';
import { findLink, findLinkId } from './queries/links.ts';

/**
 * The owner and destination of the link at an address; null when the address is free. `domain` null means the service's
 * own host.
 */
export async function findLinkAt(
  service: Pick<Service, 'database' | 'baseUrl'>,
  accountId: AccountId,
  { domain, key }: { domain: string | null; key: string },
): Promise<{ partnerId: PartnerId; url: string } | 'of another account' | null> {
  return service.database.read(async (tx) => {
    const id = await findLinkId(tx, domain ?? hostOf(service.baseUrl), key);
    if (id === undefined) return null;
    const link = await findLink(tx, accountId, id);
    return link === undefined ? 'of another account' : { partnerId: link.partnerId, url: link.url };
  });
}
