import { bearerTokenHash, createBearerToken, isBearerToken } from '../app/bearer-token.ts';
import type { EmbedSession } from '../app/embed-session.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { DAY_MS, isoTime } from '../core/time.ts';
import { ServiceError } from '../errors.ts';
import { claimPartner, requireKeptPartner } from './partners.ts';
import {
  deleteEmbedToken,
  deleteExpiredEmbedTokens,
  findEmbedToken,
  insertEmbedToken,
} from './queries/embed-tokens.ts';
import { deleteExpiredPortalCodes, findPortalCode, insertPortalCode, usePortalCode } from './queries/portal-codes.ts';
import type { PortalLink, PortalSession } from './schemas.ts';

const CODE_LIFETIME_MS = 7 * DAY_MS;
export const PORTAL_SESSION_LIFETIME_MS = 30 * DAY_MS;

/** Each new code deletes a few expired ones, so that the table stays small. */
const EXPIRED_PER_CODE = 20;

/**
 * Creates a link that opens a partner's portal outside of your product. It works once, within seven days. The code is
 * in the fragment, which no browser sends and no log stores.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export function createPortalLink(service: Service, accountId: AccountId, partnerId: string): Promise<PortalLink> {
  const now = service.clock();
  const expiresAt = now + CODE_LIFETIME_MS;
  return service.database.write(async (tx) => {
    const { id, programId } = await requireKeptPartner(tx, accountId, partnerId);
    const code = createBearerToken('rb_portalcode_');
    await deleteExpiredPortalCodes(tx, now, EXPIRED_PER_CODE);
    const hash = bearerTokenHash(code);
    await insertPortalCode(tx, { hash, accountId, programId, partnerId: id, createdAt: now, expiresAt });
    noteChange(tx, { resourceId: id });
    return { url: `${service.baseUrl}/portal#code=${code}`, expires: isoTime(expiresAt) };
  });
}

/**
 * Exchanges the code of a portal link, which works once, for a session of 30 days. `token` goes into the cookie and
 * nowhere else. Of two concurrent requests, one finds the code used.
 *
 * @throws ServiceError `UNAUTHORIZED`
 */
export async function openPortal(service: Service, code: string): Promise<{ session: PortalSession; token: string }> {
  const now = service.clock();
  const expiresAt = now + PORTAL_SESSION_LIFETIME_MS;
  const hash = bearerTokenHash(code);
  // anybody can make codes up, and even a write that changes nothing makes others wait
  const found = isBearerToken('rb_portalcode_', code)
    ? await service.database.read((tx) => findPortalCode(tx, hash))
    : undefined;
  if (found === undefined) throw unusable();
  const { accountId, programId, partnerId } = found;
  return service.database.write(
    async (tx) => {
      // access may be ending at this moment
      await claimPartner(tx, partnerId);
      if (!(await usePortalCode(tx, hash, now))) throw unusable();
      const token = createBearerToken('rb_portal_');
      await deleteExpiredEmbedTokens(tx, now);
      const stored = {
        hash: bearerTokenHash(token),
        accountId,
        programId,
        partnerId,
        issuedBy: null,
        createdAt: now,
        expiresAt,
      };
      await insertEmbedToken(tx, stored);
      return { session: { expires: isoTime(expiresAt) }, token };
    },
    { alone: true },
  );
}

function unusable(): ServiceError {
  return new ServiceError('UNAUTHORIZED', 'This link was used or has expired; ask for a new one');
}

/** The portal of a session's token; null unless the session is active. */
export async function findPortalSession(service: Service, token: string): Promise<EmbedSession | null> {
  if (!isBearerToken('rb_portal_', token)) return null;
  return (await service.database.read((tx) => findEmbedToken(tx, bearerTokenHash(token), service.clock()))) ?? null;
}

/** Ends the session of this token, if there is one. */
export async function closePortal(service: Service, token: string | null): Promise<void> {
  if (token === null || (await findPortalSession(service, token)) === null) return;
  await service.database.write((tx) => deleteEmbedToken(tx, bearerTokenHash(token)), { alone: true });
}
