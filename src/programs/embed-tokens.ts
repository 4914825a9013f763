import { bearerTokenHash, createBearerToken, isBearerToken } from '../app/bearer-token.ts';
import type { EmbedSession } from '../app/embed-session.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import { type Actor, actorName } from '../core/actor.ts';
import type { AccountId, ProgramId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import {
  claimPartner,
  claimPartnerIdentifiers,
  enrollPartner,
  requireKeptPartner,
  requirePartner,
  requireTenantFree,
} from './partners.ts';
import { requireProgram, resolveProgram } from './programs.ts';
import { deleteExpiredEmbedTokens, findEmbedToken, insertEmbedToken } from './queries/embed-tokens.ts';
import { findPartnerByEmail, findPartnerByTenant, type Partner, updatePartner } from './queries/partners.ts';
import type { EmbedTokenInput, IssuedEmbedToken } from './schemas.ts';

/**
 * Issues a token for one partner's portal. The partner is looked up by `enrollmentId`, then `tenantId`, then
 * `partner.email`. A partner named by e-mail address is created when not found, and gets the tenant id either way.
 *
 * @throws ServiceError `VALIDATION_ERROR` when the program is ambiguous; `NOT_FOUND` for the partner or program;
 * `CONFLICT` when the address belongs to a partner with another tenant id
 */
export async function issueEmbedToken(
  service: Service,
  { accountId, actor }: { accountId: AccountId; actor: Actor },
  input: EmbedTokenInput,
): Promise<IssuedEmbedToken> {
  const publicToken = createBearerToken('rb_embed_');
  const now = service.clock();
  const expiresAt = now + input.expiresIn * 1000;
  const issue = async (tx: Transaction) => {
    const named = await partnerFor(service, tx, accountId, input);
    const { id: partnerId, programId } = await requireKeptPartner(tx, accountId, named.id);
    const hash = bearerTokenHash(publicToken);
    await insertEmbedToken(tx, {
      hash,
      accountId,
      programId,
      partnerId,
      issuedBy: actorName(actor),
      createdAt: now,
      expiresAt,
    });
    tx.last('embed tokens', deleteExpired, now);
    return requireProgram(tx, accountId, programId);
  };
  // every page view of a partner issues a token, so these units share commits although an enrollment is audited
  const program = await service.database.write(issue, { alone: false });
  if (program.portal.allowedOrigins.length === 0) {
    // logged here, because the calling backend cannot know, and a blank frame cannot show it
    const problem = 'no page may embed the portal of this program: set portal.allowedOrigins';
    service.log.warn({ programId: program.id }, problem);
  }
  return { publicToken, expires: isoTime(expiresAt) };
}

/** Runs last, because another process may be deleting the same rows. */
async function deleteExpired(tx: Transaction, added: readonly number[]): Promise<void> {
  tx.unawaited(deleteExpiredEmbedTokens(tx, Math.max(...added)));
}

/** The session of an embed token; null unless the token is known and has not expired. */
export async function findEmbedSession(
  service: Service,
  token: string,
): Promise<(EmbedSession & { expiresAt: number }) | null> {
  if (!isBearerToken('rb_embed_', token)) return null;
  const hash = bearerTokenHash(token);
  return (await service.database.read((tx) => findEmbedToken(tx, hash, service.clock()))) ?? null;
}

/**
 * Call it in units that change something for the session's partner, after they claimed the partner: access may have
 * ended while the request was on its way.
 *
 * @throws ServiceError `UNAUTHORIZED`
 */
export async function requireEmbedToken(tx: Transaction, session: EmbedSession, now: number): Promise<void> {
  if (await isEmbedTokenActive(tx, session, now)) return;
  throw new ServiceError('UNAUTHORIZED', 'Access to this portal has ended, so nothing was changed');
}

/** False once the token or session of a portal has expired or was ended. */
export async function isEmbedTokenActive(tx: Transaction, { hash }: EmbedSession, now: number): Promise<boolean> {
  return (await findEmbedToken(tx, hash, now)) !== undefined;
}

async function partnerFor(
  service: Service,
  tx: Transaction,
  accountId: AccountId,
  input: EmbedTokenInput,
): Promise<Partner> {
  if (input.enrollmentId !== null) {
    const enrolled = await requirePartner(tx, accountId, input.enrollmentId);
    if (input.programId === null || input.programId === enrolled.programId) return enrolled;
    throw notFound('partner', input.enrollmentId);
  }
  const programId = await resolveProgram(tx, accountId, input.programId);
  if (input.partner === null) return partnerOfTenant(tx, programId, input.tenantId ?? '');
  const named = { ...input.partner, programId, tenantId: input.tenantId };
  await claimPartnerIdentifiers(tx, named);
  const byTenant = named.tenantId === null ? undefined : await findPartnerByTenant(tx, programId, named.tenantId);
  return byTenant ?? partnerOfEmail(service, tx, accountId, named);
}

async function partnerOfTenant(tx: Transaction, programId: ProgramId, tenantId: string): Promise<Partner> {
  const partner = await findPartnerByTenant(tx, programId, tenantId);
  if (partner === undefined) {
    throw notFound('partner with the tenantId', tenantId, 'to enroll this user, send their partner.email as well');
  }
  return partner;
}

async function partnerOfEmail(
  service: Service,
  tx: Transaction,
  accountId: AccountId,
  { programId, email, name, tenantId }: Pick<Partner, 'programId' | 'email' | 'tenantId'> & { name: string | null },
): Promise<Partner> {
  const known = await findPartnerByEmail(tx, programId, email);
  if (known === undefined) {
    const added = { programId, name: name ?? localPartOf(email), email, tenantId, discountCodes: [], commission: null };
    return enrollPartner(service, tx, accountId, added);
  }
  return tenantId === null ? known : setTenant(tx, known, tenantId);
}

async function setTenant(tx: Transaction, { id, accountId }: Partner, tenantId: string): Promise<Partner> {
  await claimPartner(tx, id);
  const partner = await requirePartner(tx, accountId, id);
  if (partner.tenantId === tenantId) return partner;
  requireTenantFree(partner, tenantId);
  const changed = { ...partner, tenantId };
  await updatePartner(tx, changed);
  noteChange(tx, { resourceId: id, before: { tenantId: null }, after: { tenantId } });
  return changed;
}

function localPartOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@'));
}
