import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, PartnerId } from '../core/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { claimPartner, requirePartner } from './partners.ts';
import type { EndedPortalAccess } from './portal-access-schemas.ts';
import { deleteEmbedTokensOf } from './queries/embed-tokens.ts';
import { deletePortalCodesOf } from './queries/portal-codes.ts';

const NO_ACCESS: EndedPortalAccess = { links: 0, sessions: 0, embedTokens: 0 };

/**
 * Ends everything that opens a partner's portal at this moment: links, sessions and embed tokens. New ones work. A
 * request that uses one of them meanwhile is done before, or refused.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export function endPortalAccess(service: Service, accountId: AccountId, id: string): Promise<EndedPortalAccess> {
  const now = service.clock();
  return service.database.write(async (tx) => {
    await claimPartner(tx, id);
    const partner = await requirePartner(tx, accountId, id);
    const ended = await endAccessOf(tx, partner.id, now);
    noteChange(tx, { resourceId: partner.id, before: ended, after: NO_ACCESS });
    return ended;
  });
}

/** As `endPortalAccess`, inside a unit of work that has claimed the partner. */
export async function endAccessOf(tx: Transaction, partnerId: PartnerId, now: number): Promise<EndedPortalAccess> {
  const codes = await deletePortalCodesOf(tx, partnerId);
  const tokens = (await deleteEmbedTokensOf(tx, partnerId)).filter(({ expiresAt }) => expiresAt > now);
  return {
    links: codes.filter(({ usedAt, expiresAt }) => usedAt === null && expiresAt > now).length,
    sessions: tokens.filter(({ issuedBy }) => issuedBy === null).length,
    embedTokens: tokens.filter(({ issuedBy }) => issuedBy !== null).length,
  };
}
