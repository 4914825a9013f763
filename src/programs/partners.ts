import { z } from 'zod';
import { claimKeys } from '../app/claims.ts';
import { emailField, optional, parseInput, text, withDefault } from '../app/fields.ts';
import { mergePatch } from '../app/merge-patch.ts';
import { type Page, pageInput, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { isoTime } from '../core/time.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { resolveProgram } from './programs.ts';
import {
  findPartner,
  findPartnerByEmail,
  findPartnerByTenant,
  findPartners,
  insertPartner,
  type Partner,
  replaceDiscountCodes,
  updatePartner,
} from './queries/partners.ts';
import { commissionField } from './terms-fields.ts';

const CODES_MAX = 100;

const discountCodeField = text(100).regex(/^\P{Cc}+$/u, 'must be one line without control characters');

const discountCodesField = z
  .array(discountCodeField)
  .max(CODES_MAX, `must have at most ${CODES_MAX} codes`)
  .transform(distinctCodes);

/** An address as it is compared and kept. */
export const partnerEmailField = emailField.transform((email) => email.toLowerCase());

const partnerInput = z.object({
  programId: optional(text()),
  name: text(),
  email: partnerEmailField,
  tenantId: optional(text()),
  discountCodes: withDefault(discountCodesField, []),
  commission: optional(commissionField),
});

const partnerPageInput = pageInput('ptr');

/** A partner as it is answered. */
export type PartnerResource = Omit<Partner, 'accountId' | 'createdAt'> & { createdAt: string };

/** What a new partner is made of. */
export type NewPartner = Omit<Partner, 'id' | 'accountId' | 'status' | 'createdAt'>;

/**
 * @throws ServiceError `VALIDATION_ERROR`; `NOT_FOUND` for the program; `CONFLICT` when the address or tenant id is
 * taken in the program, or a code in the account
 */
export async function createPartner(service: Service, accountId: string, body: unknown): Promise<PartnerResource> {
  const input = parseInput(partnerInput, body);
  const now = service.clock();
  return service.database.write(async (tx) => {
    const programId = await resolveProgram(tx, accountId, input.programId);
    return asResource(await addPartner(tx, accountId, { ...input, programId }, now));
  });
}

/** The newest first. */
export function listPartners(service: Service, accountId: string, query: unknown): Promise<Page<PartnerResource>> {
  const page = parseInput(partnerPageInput, query);
  return service.database.read((tx) => pageOf(page, (bounds) => findPartners(tx, accountId, bounds), asResource));
}

/** @throws ServiceError `NOT_FOUND` */
export async function getPartner(service: Service, accountId: string, id: string): Promise<PartnerResource> {
  return asResource(await service.database.read((tx) => requirePartner(tx, accountId, id)));
}

/**
 * A JSON Merge Patch; null takes tenant id, codes and commission away. A partner stays in its program, to which its
 * links and sales belong.
 *
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`; `CONFLICT` as on creation
 */
export function changePartner(
  service: Service,
  accountId: string,
  id: string,
  patch: unknown,
): Promise<PartnerResource> {
  return service.database.write(async (tx) => {
    await claimPartner(tx, id);
    const partner = await requirePartner(tx, accountId, id);
    const { programId, ...input } = parseInput(partnerInput, mergePatch(partner, patch));
    if (programId !== null && programId !== partner.programId) {
      const message = 'cannot be changed; create another partner in the other program';
      throw validationError([{ path: 'programId', message }]);
    }
    const changed = { ...partner, ...input };
    await claimPartnerNames(tx, changed);
    await refuseTaken(tx, changed);
    await updatePartner(tx, changed);
    await giveCodes(tx, changed);
    return asResource(changed);
  });
}

/**
 * Adds a partner inside a unit of work; the program is the account's.
 *
 * @throws ServiceError `CONFLICT` when the address or tenant id is taken in the program, or a code in the account
 */
export async function addPartner(tx: Transaction, accountId: string, input: NewPartner, now: number): Promise<Partner> {
  const partner: Partner = { ...input, id: createId('ptr'), accountId, status: 'active', createdAt: now };
  await claimPartnerNames(tx, partner);
  if (!(await insertPartner(tx, partner))) await refuseTaken(tx, partner);
  await giveCodes(tx, partner);
  return partner;
}

/** @throws ServiceError `NOT_FOUND` for a partner that is not this account's */
export async function requirePartner(tx: Transaction, accountId: string, id: string): Promise<Partner> {
  const partner = await findPartner(tx, accountId, id);
  if (partner === undefined) throw notFound('partner', id);
  return partner;
}

/** For units that write a partner back as they read it: no other does in between. */
export function claimPartner(tx: Transaction, id: string): Promise<void> {
  return tx.claim(() => [claimKeys.partner(id)]);
}

/** For units that look whether a name is free before they write: until their end nobody else takes that name. */
export function claimPartnerNames(
  tx: Transaction,
  { programId, email, tenantId }: Pick<Partner, 'programId' | 'email' | 'tenantId'>,
): Promise<void> {
  const tenant = tenantId === null ? [] : [claimKeys.partnerTenant(programId, tenantId)];
  return tx.claim(() => [claimKeys.partnerEmail(programId, email), ...tenant]);
}

async function refuseTaken(tx: Transaction, { id, programId, email, tenantId }: Partner): Promise<void> {
  const sameEmail = await findPartnerByEmail(tx, programId, email);
  if (sameEmail !== undefined && sameEmail.id !== id) {
    throw new ServiceError('CONFLICT', `email: ${sameEmail.id} of this program has the address ${email}`);
  }
  const sameTenant = tenantId === null ? undefined : await findPartnerByTenant(tx, programId, tenantId);
  if (sameTenant !== undefined && sameTenant.id !== id) {
    throw new ServiceError('CONFLICT', `tenantId: ${sameTenant.id} of this program has ${JSON.stringify(tenantId)}`);
  }
}

async function giveCodes(tx: Transaction, partner: Partner): Promise<void> {
  const taken = await replaceDiscountCodes(tx, partner);
  if (taken === null) return;
  throw new ServiceError('CONFLICT', `discountCodes: ${JSON.stringify(taken)} belongs to another partner`);
}

/** Without repeats of any case, in the order in which they are read back; two units then lock codes in one order. */
function distinctCodes(codes: string[]): string[] {
  const byLowerCase = new Map(codes.map((code) => [code.toLowerCase(), code]));
  return [...byLowerCase].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, code]) => code);
}

function asResource({ accountId: _account, createdAt, ...partner }: Partner): PartnerResource {
  return { ...partner, createdAt: isoTime(createdAt) };
}
