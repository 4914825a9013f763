import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, pageOf, withNarrowing } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { recordEvent } from '../events/record.ts';
import { createId } from '../ids.ts';
import { applyPatch, type MergePatch } from '../schema/merge-patch.ts';
import type { Transaction } from '../storage/database.ts';
import type { PageBounds } from '../storage/list-filters.ts';
import { withStoredCodes } from './amounts-patch.ts';
import { requireProgramInUse, resolveProgram } from './programs.ts';
import { findPartners } from './queries/list-partners.ts';
import {
  findPartner,
  findPartnerByEmail,
  findPartnerByTenant,
  insertPartner,
  keepPartner,
  type Partner,
  replaceDiscountCodes,
  updatePartner,
} from './queries/partners.ts';
import { type PartnerInput, type PartnerListQuery, type PartnerResource, partnerInput } from './schemas.ts';
import { searchPartners } from './search-partners.ts';
import { pageOfSources, sourcesOf } from './sources.ts';

/** The data of a new partner. */
export type NewPartner = Omit<Partner, 'id' | 'accountId' | 'payoutDetails' | 'createdAt' | 'archivedAt'>;

/**
 * Enrolls a partner in the given program, or in the account's only one.
 *
 * @throws ServiceError `VALIDATION_ERROR` when the program is ambiguous; `NOT_FOUND` for the program; `INVALID_STATE` when
 * it is archived; `CONFLICT` when the address or tenant id is taken in the program, or a code in the account
 */
export async function createPartner(
  service: Service,
  accountId: AccountId,
  input: PartnerInput,
): Promise<PartnerResource> {
  return service.database.write(async (tx) => {
    const programId = await resolveProgram(tx, accountId, input.programId);
    return asResource(await enrollPartner(service, tx, accountId, { ...input, programId }));
  });
}

/** One page of the account's partners, newest first. Filters: `search email tenantId programId archived from to`. */
export function listPartners(
  service: Service,
  accountId: AccountId,
  { search, email, tenantId, programId, archived, ...page }: PartnerListQuery,
): Promise<Page<PartnerResource>> {
  const given = { email: email?.toLowerCase() ?? null, tenantId, programId, archived };
  return service.database.report(async (tx) => {
    const isOfFew = email !== null || tenantId !== null;
    const sources = isOfFew ? null : await sourcesOf(tx, accountId, { programId, archived });
    const find = (bounds: PageBounds) => {
      const filters = withNarrowing(given, bounds);
      if (search !== null) return searchPartners(tx, accountId, { filters, sources, search }, bounds);
      return pageOfSources(sources, bounds.limit, (source) =>
        findPartners(tx, accountId, { ...filters, ...source }, bounds),
      );
    };
    return pageOf(page, find, asResource);
  });
}

/** @throws ServiceError `NOT_FOUND` */
export async function getPartner(service: Service, accountId: AccountId, id: string): Promise<PartnerResource> {
  return asResource(await service.database.read((tx) => requirePartner(tx, accountId, id)));
}

/**
 * Applies a JSON Merge Patch; null removes tenant id, codes or commission. A partner cannot change programs, because
 * its links and sales belong to its program.
 *
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`; `CONFLICT` as on creation
 */
export function changePartner(
  service: Service,
  accountId: AccountId,
  id: string,
  patch: MergePatch<PartnerInput>,
): Promise<PartnerResource> {
  return changeIf(service, accountId, id, { patch, check: () => undefined });
}

/**
 * Like `changePartner`, for a partner whom a caller named by an e-mail address only: another tenant id stays.
 *
 * @throws ServiceError `CONFLICT` when the partner has another tenant id, or no longer has the address, such as after an
 *   erasure
 */
export function changePartnerOfEmail(
  service: Service,
  accountId: AccountId,
  { id, email }: Pick<PartnerResource, 'id' | 'email'>,
  patch: { name?: string; tenantId?: string },
): Promise<PartnerResource> {
  const check = (partner: Partner) => {
    if (partner.email !== email) {
      throw new ServiceError('CONFLICT', `email: ${email} was taken from its partner at the same time; try again`);
    }
    if (patch.tenantId !== undefined) requireTenantFree(partner, patch.tenantId);
  };
  return changeIf(service, accountId, id, { patch, check });
}

/**
 * An address alone must not give a partner, with its earnings, to another user.
 *
 * @throws ServiceError `CONFLICT` when the partner has another tenant id
 */
export function requireTenantFree({ email, tenantId: bound }: Partner, tenantId: string): void {
  if (bound === null || bound === tenantId) return;
  throw new ServiceError('CONFLICT', `tenantId: the partner with the address ${email} has a different one`);
}

interface CheckedChange {
  patch: MergePatch<PartnerInput>;
  check(partner: Partner): void;
}

function changeIf(
  service: Service,
  accountId: AccountId,
  id: string,
  { patch, check }: CheckedChange,
): Promise<PartnerResource> {
  return service.database.write(async (tx) => {
    await claimPartner(tx, id);
    const partner = await requirePartner(tx, accountId, id);
    check(partner);
    const { programId, ...input } = applyPatch(partnerInput, partner, withStoredCodes(patch));
    if (programId !== null && programId !== partner.programId) {
      const message = 'cannot be changed; create another partner in the other program';
      throw validationError([{ path: 'programId', message }]);
    }
    const changed = { ...partner, ...input };
    await claimPartnerIdentifiers(tx, changed);
    await requireIdentifiersFree(tx, changed);
    await updatePartner(tx, changed);
    await assignCodes(tx, changed);
    const after = asResource(changed);
    noteChange(tx, { resourceId: changed.id, before: asResource(partner), after });
    return after;
  });
}

/**
 * Adds a partner inside a unit of work, with a first link if the program has a `defaultUrl`.
 *
 * @throws ServiceError like `addPartner`; `INVALID_STATE` when the program is archived
 */
export async function enrollPartner(
  service: Service,
  tx: Transaction,
  accountId: AccountId,
  input: NewPartner,
): Promise<Partner> {
  const { defaultUrl } = await requireProgramInUse(tx, accountId, input.programId);
  const partner = await addPartner(tx, accountId, input, service.clock());
  if (defaultUrl !== null) await service.addDefaultLink(tx, partner, defaultUrl);
  return partner;
}

/**
 * Adds a partner without a link inside a unit of work. The program must belong to the account.
 *
 * @throws ServiceError `CONFLICT` when the address or tenant id is taken in the program, or a code in the account
 */
async function addPartner(tx: Transaction, accountId: AccountId, input: NewPartner, now: number): Promise<Partner> {
  const made = { id: createId('ptr'), accountId, createdAt: now, payoutDetails: null, archivedAt: null };
  const partner: Partner = { ...input, ...made };
  await claimPartnerIdentifiers(tx, partner);
  if (!(await insertPartner(tx, partner))) await requireIdentifiersFree(tx, partner);
  await assignCodes(tx, partner);
  const added = asResource(partner);
  noteChange(tx, { resourceId: partner.id, after: added });
  await recordEvent(tx, { accountId, type: 'partner.created', occurredAt: now, data: () => added });
  return partner;
}

/** @throws ServiceError `NOT_FOUND` when this account has no such partner */
export async function requirePartner(tx: Transaction, accountId: AccountId, id: string): Promise<Partner> {
  const partner = await findPartner(tx, accountId, id);
  if (partner === undefined) throw notFound('partner', id);
  return partner;
}

/**
 * Like `requirePartner`, for units that add something to a partner, so that nobody deletes the partner before they end.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function requireKeptPartner(tx: Transaction, accountId: AccountId, id: string): Promise<Partner> {
  const partner = await keepPartner(tx, accountId, id);
  if (partner === undefined) throw notFound('partner', id);
  return partner;
}

/** Call it in units that read a partner and write it back, so that no other unit changes it in between. */
export function claimPartner(tx: Transaction, id: string): Promise<void> {
  return tx.claim(() => [claimKeys.partner(id)]);
}

/**
 * Call it in units that check whether an address or tenant id is free, so that no other unit takes it before they end.
 */
export function claimPartnerIdentifiers(
  tx: Transaction,
  { programId, email, tenantId }: Pick<Partner, 'programId' | 'email' | 'tenantId'>,
): Promise<void> {
  const tenant = tenantId === null ? [] : [claimKeys.partnerTenant(programId, tenantId)];
  return tx.claim(() => [claimKeys.partnerEmail(programId, email), ...tenant]);
}

async function requireIdentifiersFree(tx: Transaction, { id, programId, email, tenantId }: Partner): Promise<void> {
  const taken = (member: string, by: Partner, value: string) =>
    new ServiceError('CONFLICT', `${member}: the partner ${by.id} of this program already has ${value}`);
  const sameEmail = await findPartnerByEmail(tx, programId, email);
  if (sameEmail !== undefined && sameEmail.id !== id) throw taken('email', sameEmail, `the address ${email}`);
  const sameTenant = tenantId === null ? undefined : await findPartnerByTenant(tx, programId, tenantId);
  if (sameTenant !== undefined && sameTenant.id !== id) throw taken('tenantId', sameTenant, JSON.stringify(tenantId));
}

async function assignCodes(tx: Transaction, partner: Partner): Promise<void> {
  const taken = await replaceDiscountCodes(tx, partner);
  if (taken === null) return;
  throw new ServiceError('CONFLICT', `discountCodes: ${JSON.stringify(taken)} belongs to another partner`);
}

export function asResource(partner: Partner): PartnerResource {
  return {
    id: partner.id,
    programId: partner.programId,
    name: partner.name,
    email: partner.email,
    tenantId: partner.tenantId,
    discountCodes: partner.discountCodes,
    commission: partner.commission,
    payoutDetails: partner.payoutDetails,
    status: partner.archivedAt === null ? 'active' : 'archived',
    createdAt: isoTime(partner.createdAt),
    archivedAt: isoTimeOrNull(partner.archivedAt),
  };
}
