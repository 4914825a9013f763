import { claimKeys } from '../app/claims.ts';
import { insideUnit } from '../app/inside-unit.ts';
import { CODES_IN_FILES, splitCodes } from '../core/code-list.ts';
import { ServiceError } from '../errors.ts';
import { createPartner, listPartners } from '../programs/partners.ts';
import { type PartnerInput, type PartnerResource, partnerInput, partnerListQuery } from '../programs/schemas.ts';
import { parseInput } from '../schema/parse.ts';
import type { Fields } from './csv-columns.ts';
import type { ImportTarget } from './import-target.ts';
import { type CompletedPartner, completePartner } from './moved/complete-partner.ts';
import { type Applied, created, unchanged } from './moved/target.ts';
import { rolledBack } from './rolled-back.ts';

/** By e-mail address: a known partner gets what it does not have yet. */
export async function importPartner(target: ImportTarget, fields: Fields): Promise<Applied> {
  return (await storePartner(target, fields)).applied;
}

function storePartner({ accountId, programId, ...target }: ImportTarget, fields: Fields): Promise<CompletedPartner> {
  const input = inputOf(fields, programId);
  return target.service.database.write(async (tx) => {
    // two simultaneous imports would otherwise both find the partner missing
    await tx.claim(() => [claimKeys.importedRecords(accountId)]);
    const service = insideUnit(target.service, tx);
    const query = parseInput(partnerListQuery, { email: input.email, ...(programId === null ? {} : { programId }) });
    const { data: known } = await listPartners(service, accountId, query);
    const [first, ...others] = known;
    if (first === undefined) return { partner: await createPartner(service, accountId, input), applied: created };
    if (others.length === 0) return completePartner({ tx, service, accountId }, first.id, input);
    requireNothingNew(known, input);
    return { partner: first, applied: unchanged };
  });
}

/** @throws ServiceError `VALIDATION_ERROR` */
function inputOf(
  { firstName, lastName, email, tenantId, discountCodes, ...fields }: Fields,
  programId: string | null,
): PartnerInput {
  const name = fields.name ?? ([firstName, lastName].filter((part) => part !== undefined).join(' ') || email);
  return parseInput(partnerInput, {
    name,
    email,
    tenantId,
    programId: programId ?? undefined,
    discountCodes: splitCodes(discountCodes ?? '', CODES_IN_FILES),
  });
}

/** @throws ServiceError `CONFLICT` when it is unclear which of the partners with one address a code or tenant id is for */
function requireNothingNew(partners: readonly PartnerResource[], { email, tenantId, discountCodes }: PartnerInput) {
  const codes = new Set(partners.flatMap((partner) => partner.discountCodes).map((code) => code.toLowerCase()));
  const isTenantKnown = tenantId === null || partners.some((partner) => partner.tenantId === tenantId);
  if (isTenantKnown && discountCodes.every((code) => codes.has(code.toLowerCase()))) return;
  throw new ServiceError('CONFLICT', `${email} is a partner of several programs: name the program of this import`);
}

/**
 * Imports partner rows and rolls each back. Earlier rows that a row depends on, because they are of the same partner or
 * of one that has its code or tenant id, are applied before it in the same unit of work.
 */
export class PartnersDryRun {
  readonly #target: ImportTarget;
  /** The rows that would store something, by e-mail address. */
  readonly #rows = new Map<string, Fields[]>();
  /** The addresses of the partners who would have a code or tenant id. */
  readonly #holders = new Map<string, Set<string>>();

  constructor(target: ImportTarget) {
    this.#target = target;
  }

  async apply(fields: Fields): Promise<Applied> {
    const { email, tenantId, discountCodes } = inputOf(fields, this.#target.programId);
    const marks = marksOf({ tenantId, discountCodes });
    const addresses = new Set([email, ...marks.flatMap((mark) => [...(this.#holders.get(mark) ?? [])])]);
    const needed = [...addresses].flatMap((address) => this.#rows.get(address) ?? []);
    const { partner, applied } = await rolledBack(this.#target.service.database, async (tx) => {
      const target = { ...this.#target, service: insideUnit(this.#target.service, tx) };
      for (const row of needed) await storePartner(target, row);
      return storePartner(target, fields);
    });
    if (applied.result !== 'unchanged') this.#remember(partner, fields);
    return applied;
  }

  #remember(partner: PartnerResource, fields: Fields): void {
    const { email } = partner;
    this.#rows.set(email, [...(this.#rows.get(email) ?? []), fields]);
    for (const mark of marksOf(partner)) {
      this.#holders.set(mark, (this.#holders.get(mark) ?? new Set()).add(email));
    }
  }
}

function marksOf({ tenantId, discountCodes }: Pick<PartnerResource, 'tenantId' | 'discountCodes'>): string[] {
  const codes = discountCodes.map((code) => `code ${code.toLowerCase()}`);
  return tenantId === null ? codes : [...codes, `tenant ${tenantId}`];
}
