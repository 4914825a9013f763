import { ServiceError } from '../../errors.ts';
import { createPartner, listPartners } from '../../programs/partners.ts';
import { type PartnerInput, type PartnerResource, partnerInput, partnerListQuery } from '../../programs/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { completePartner } from './complete-partner.ts';
import type { MovedPartner } from './facts.ts';
import { type Applied, created, type MovedTarget, unchanged } from './target.ts';

/** The row of a file, by e-mail address: a known partner gets what it does not have yet. */
export async function applyPartnerRow(
  target: MovedTarget,
  { name, email, tenantId, discountCodes }: MovedPartner,
): Promise<Applied> {
  const { service, accountId, programId } = target;
  const ofProgram = programId === null ? {} : { programId };
  const input = parseInput(partnerInput, { name, email, tenantId, discountCodes, ...ofProgram });
  const query = parseInput(partnerListQuery, { email: input.email, ...ofProgram });
  const { data: known } = await listPartners(service, accountId, query);
  const [first, ...others] = known;
  if (first === undefined) {
    await createPartner(service, accountId, input);
    return created;
  }
  if (others.length === 0) return completePartner(target, first.id, input);
  requireNothingNew(known, input);
  return unchanged;
}

/** @throws ServiceError `CONFLICT` when it is unclear which of the partners with one address a code or tenant id is for */
function requireNothingNew(partners: readonly PartnerResource[], { email, tenantId, discountCodes }: PartnerInput) {
  const codes = new Set(partners.flatMap((partner) => partner.discountCodes).map((code) => code.toLowerCase()));
  const isTenantKnown = tenantId === null || partners.some((partner) => partner.tenantId === tenantId);
  if (isTenantKnown && discountCodes.every((code) => codes.has(code.toLowerCase()))) return;
  throw new ServiceError('CONFLICT', `${email} is a partner of several programs: name the program of this import`);
}
