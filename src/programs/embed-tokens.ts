import { z } from 'zod';
import { bearerTokenHash, createBearerToken, isBearerToken } from '../app/bearer-token.ts';
import { optional, parseInput, text, withDefault } from '../app/fields.ts';
import type { Service } from '../app/service.ts';
import { wholeNumber } from '../app/whole-number.ts';
import { isoTime } from '../core/time.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import { addPartner, claimPartner, claimPartnerNames, partnerEmailField, requirePartner } from './partners.ts';
import { resolveProgram } from './programs.ts';
import { deleteExpiredEmbedTokens, findEmbedToken, insertEmbedToken } from './queries/embed-tokens.ts';
import { findPartnerByEmail, findPartnerByTenant, type Partner, updatePartner } from './queries/partners.ts';

const LIFETIME_SECONDS_DEFAULT = 3600;
const LIFETIME_SECONDS_MAX = 24 * 3600;
/** Each new token takes a few that expired with it, so that the table stays as small as what is in use. */
const EXPIRED_PER_TOKEN_MAX = 20;

const embedTokenInput = z
  .object({
    tenantId: optional(text()),
    enrollmentId: optional(text()),
    partner: optional(z.object({ email: partnerEmailField, name: optional(text()) })),
    programId: optional(text()),
    expiresIn: withDefault(wholeNumber(1, LIFETIME_SECONDS_MAX), LIFETIME_SECONDS_DEFAULT),
  })
  .refine(
    ({ tenantId, enrollmentId, partner }) => tenantId !== null || enrollmentId !== null || partner !== null,
    'Name the partner by at least one of tenantId, enrollmentId and partner',
  );

type EmbedTokenInput = z.output<typeof embedTokenInput>;

export interface IssuedEmbedToken {
  /** Shown once; goes into the page that embeds the portal. */
  publicToken: string;
  /** ISO 8601, UTC. */
  expires: string;
}

/** Whose portal a request may read. */
export interface EmbedSession {
  accountId: string;
  programId: string;
  partnerId: string;
}

/**
 * A read-only token for one partner's portal. The partner is looked for by `enrollmentId`, then `tenantId`, then
 * `partner.email`; one that is named by its address and not found is created, and remembers the tenant id.
 *
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the partner or program; `CONFLICT` when the address belongs
 * to a partner of another tenant id
 */
export async function issueEmbedToken(service: Service, accountId: string, body: unknown): Promise<IssuedEmbedToken> {
  const input = parseInput(embedTokenInput, body);
  const publicToken = createBearerToken('rb_embed_');
  const now = service.clock();
  const expiresAt = now + input.expiresIn * 1000;
  await service.database.write(async (tx) => {
    const { id: partnerId, programId } = await partnerFor(tx, accountId, input, now);
    const hash = bearerTokenHash(publicToken);
    await deleteExpiredEmbedTokens(tx, now, EXPIRED_PER_TOKEN_MAX);
    await insertEmbedToken(tx, { hash, accountId, programId, partnerId, createdAt: now, expiresAt });
  });
  return { publicToken, expires: isoTime(expiresAt) };
}

/** Whose token this is; null for anything but an embed token that is still good. */
export async function findEmbedSession(service: Service, token: string): Promise<EmbedSession | null> {
  if (!isBearerToken('rb_embed_', token)) return null;
  const hash = bearerTokenHash(token);
  return (await service.database.read((tx) => findEmbedToken(tx, hash, service.clock()))) ?? null;
}

async function partnerFor(tx: Transaction, accountId: string, input: EmbedTokenInput, now: number): Promise<Partner> {
  if (input.enrollmentId !== null) {
    const enrolled = await requirePartner(tx, accountId, input.enrollmentId);
    if (input.programId === null || input.programId === enrolled.programId) return enrolled;
    throw notFound('partner', input.enrollmentId);
  }
  const programId = await resolveProgram(tx, accountId, input.programId);
  if (input.partner === null) return partnerOfTenant(tx, programId, input.tenantId ?? '');
  const named = { ...input.partner, programId, tenantId: input.tenantId };
  await claimPartnerNames(tx, named);
  const byTenant = named.tenantId === null ? undefined : await findPartnerByTenant(tx, programId, named.tenantId);
  return byTenant ?? partnerOfEmail(tx, accountId, named, now);
}

async function partnerOfTenant(tx: Transaction, programId: string, tenantId: string): Promise<Partner> {
  const partner = await findPartnerByTenant(tx, programId, tenantId);
  if (partner === undefined) throw notFound('partner with the tenantId', tenantId);
  return partner;
}

async function partnerOfEmail(
  tx: Transaction,
  accountId: string,
  { programId, email, name, tenantId }: Pick<Partner, 'programId' | 'email' | 'tenantId'> & { name: string | null },
  now: number,
): Promise<Partner> {
  const known = await findPartnerByEmail(tx, programId, email);
  if (known === undefined) {
    const added = { programId, name: name ?? localPartOf(email), email, tenantId, discountCodes: [], commission: null };
    return addPartner(tx, accountId, added, now);
  }
  return tenantId === null ? known : rememberTenant(tx, known, tenantId);
}

async function rememberTenant(tx: Transaction, { id, accountId }: Partner, tenantId: string): Promise<Partner> {
  await claimPartner(tx, id);
  const partner = await requirePartner(tx, accountId, id);
  if (partner.tenantId === tenantId) return partner;
  if (partner.tenantId !== null) {
    throw new ServiceError('CONFLICT', `tenantId: the partner with the address ${partner.email} has another one`);
  }
  const remembered = { ...partner, tenantId };
  await updatePartner(tx, remembered);
  return remembered;
}

function localPartOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@'));
}
