import { type AttachedResource, requireNothingAttached } from '../app/attached.ts';
import { claimKeys } from '../app/claims.ts';
import { createLinksGeneration } from '../app/links-generation.ts';
import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { ServiceError } from '../errors.ts';
import { claimPartner, asResource as partnerAsResource, requirePartner } from './partners.ts';
import { endAccessOf } from './portal-access.ts';
import { asResource as programAsResource, requireProgram } from './programs.ts';
import {
  deletePartnerRow,
  deleteProgramRow,
  findPartnerHistory,
  findProgramHistory,
  lockPartner,
  lockProgram,
  setPartnerArchived,
  setProgramArchived,
} from './queries/archive.ts';
import { findFirstPrograms } from './queries/programs.ts';
import type { PartnerResource, ProgramResource } from './schemas.ts';

/**
 * Archives a partner who has left, or restores them. While archived, their links are dead, and new payments are still
 * attributed to them but earn nothing; earlier earnings are paid as before. Changes nothing when already in that state.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function archivePartner(
  service: Service,
  accountId: AccountId,
  id: string,
  archive: boolean,
): Promise<PartnerResource> {
  const now = service.clock();
  const resource = await service.database.write(async (tx) => {
    await claimPartner(tx, id);
    const partner = await requirePartner(tx, accountId, id);
    if ((partner.archivedAt !== null) === archive) return partnerAsResource(partner);
    const archivedAt = archive ? now : null;
    await setPartnerArchived(tx, partner.id, archivedAt);
    const after = partnerAsResource({ ...partner, archivedAt });
    noteChange(tx, { resourceId: partner.id, before: partnerAsResource(partner), after });
    return after;
  });
  service.state(createLinksGeneration).number += 1;
  return resource;
}

/**
 * Deletes a partner who has no links and never had results. The e-mail address, tenant id and codes become free.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when anything refers to the partner
 */
export function deletePartner(service: Service, accountId: AccountId, id: string): Promise<void> {
  const now = service.clock();
  return service.database.write(
    async (tx) => {
      await claimPartner(tx, id);
      const partner = await requirePartner(tx, accountId, id);
      const named = { what: 'partner', id, path: '/api/partners' };
      const findHistory = () => findPartnerHistory(tx, partner.id);
      await lockUnused(named, findHistory, () => lockPartner(tx, partner.id));
      await deletePartnerRow(tx, partner.id, now);
      await endAccessOf(tx, partner.id, now);
      noteChange(tx, { resourceId: partner.id, before: partnerAsResource(partner) });
    },
    { alone: true },
  );
}

/**
 * Archives a program, or restores it. While archived, it accepts no partners or links, its links are dead, and new
 * payments earn nothing; earlier earnings of its partners are paid as before. Changes nothing when already in that
 * state.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function archiveProgram(
  service: Service,
  accountId: AccountId,
  id: string,
  archive: boolean,
): Promise<ProgramResource> {
  const now = service.clock();
  const resource = await service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.program(id)]);
    const program = await requireProgram(tx, accountId, id);
    if ((program.archivedAt !== null) === archive) return programAsResource(program);
    const archivedAt = archive ? now : null;
    await setProgramArchived(tx, program.id, archivedAt);
    const after = programAsResource({ ...program, archivedAt });
    noteChange(tx, { resourceId: program.id, before: programAsResource(program), after });
    return after;
  });
  service.state(createLinksGeneration).number += 1;
  return resource;
}

/**
 * Deletes a program without partners and webhook endpoints, except the account's last one.
 *
 * @throws ServiceError `NOT_FOUND`; `INVALID_STATE` when anything refers to the program, or when it is the last one
 */
export function deleteProgram(service: Service, accountId: AccountId, id: string): Promise<void> {
  const now = service.clock();
  return service.database.write(
    async (tx) => {
      await tx.claim(() => [claimKeys.programs(accountId), claimKeys.program(id)]);
      const program = await requireProgram(tx, accountId, id);
      const named = { what: 'program', id, path: '/api/programs' };
      const findHistory = () => findProgramHistory(tx, program.id);
      await lockUnused(named, findHistory, () => lockProgram(tx, program.id));
      if ((await findFirstPrograms(tx, accountId, 2)).length < 2) {
        const remedy = 'change it, or create another one first';
        throw new ServiceError('INVALID_STATE', `The program ${id} is the only one of the account; ${remedy}`);
      }
      await deleteProgramRow(tx, program.id, now);
      noteChange(tx, { resourceId: program.id, before: programAsResource(program) });
    },
    { alone: true },
  );
}

/** Locks what nothing refers to. Whatever is in use is refused without the lock, for which its payments would wait. */
async function lockUnused(named: AttachedResource, findHistory: () => Promise<string[]>, lock: () => Promise<void>) {
  requireNothingAttached(named, await findHistory());
  await lock();
  requireNothingAttached(named, await findHistory());
}
