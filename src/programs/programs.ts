import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, ProgramId } from '../core/ids.ts';
import { DEFAULT_PORTAL, type PortalSettings } from '../core/portal.ts';
import { DEFAULT_TERMS } from '../core/terms.ts';
import { isoTimeOrNull } from '../core/time.ts';
import { CLICK_PARAMETERS, VIA_PARAMETERS } from '../core/tracking-parameters.ts';
import { notFound, ServiceError, validationError } from '../errors.ts';
import { createId } from '../ids.ts';
import { applyPatch, type MergePatch } from '../schema/merge-patch.ts';
import type { Transaction } from '../storage/database.ts';
import { withStoredCodes } from './amounts-patch.ts';
import {
  findFirstPrograms,
  findProgram,
  findPrograms,
  insertProgram,
  keepProgram,
  type Program,
  updateProgram,
} from './queries/programs.ts';
import { type ProgramInput, type ProgramListQuery, type ProgramResource, programInput } from './schemas.ts';

/** The number of programs that the error for an ambiguous request lists. */
const NAMED_PROGRAMS_MAX = 5;

/** The default program of a new account, before it is stored. `now` in epoch milliseconds. */
function defaultProgram(accountId: AccountId, name: string, now: number): Program {
  return {
    ...DEFAULT_TERMS,
    id: createId('prg'),
    accountId,
    name,
    description: '',
    trackedHosts: [],
    clickParameters: [...CLICK_PARAMETERS],
    viaParameters: [...VIA_PARAMETERS],
    defaultUrl: null,
    deadLinkUrl: null,
    portal: DEFAULT_PORTAL,
    createdAt: now,
    archivedAt: null,
  };
}

/** Adds a program with default terms inside the caller's unit of work. Returns its id. */
export async function addDefaultProgram(
  tx: Transaction,
  accountId: AccountId,
  name: string,
  now: number,
): Promise<ProgramId> {
  const program = defaultProgram(accountId, name, now);
  await insertProgram(tx, program);
  return program.id;
}

/** Adds a program to the account. */
export async function createProgram(
  service: Service,
  accountId: AccountId,
  input: ProgramInput,
): Promise<ProgramResource> {
  const program: Program = { ...input, id: createId('prg'), accountId, createdAt: service.clock(), archivedAt: null };
  return service.database.write(async (tx) => {
    await insertProgram(tx, program);
    const created = asResource(program);
    noteChange(tx, { resourceId: program.id, after: created });
    return created;
  });
}

/** One page of the account's programs, newest first. Filter: `archived`. */
export function listPrograms(
  service: Service,
  accountId: AccountId,
  { archived, ...page }: ProgramListQuery,
): Promise<Page<ProgramResource>> {
  const filters = { archived };
  return service.database.report((tx) =>
    pageOf(page, (bounds) => findPrograms(tx, accountId, filters, bounds), asResource),
  );
}

/** @throws ServiceError `NOT_FOUND` */
export async function getProgram(service: Service, accountId: AccountId, id: string): Promise<ProgramResource> {
  const program = await service.database.read((tx) => requireProgram(tx, accountId, id));
  return asResource(program);
}

/**
 * Applies a JSON Merge Patch; null resets a member to its default. Commissions that are already earned do not change.
 *
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`
 */
export function changeProgram(
  service: Service,
  accountId: AccountId,
  id: string,
  patch: MergePatch<ProgramInput>,
): Promise<ProgramResource> {
  return service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.program(id)]);
    const program = await requireProgram(tx, accountId, id);
    const changed = { ...program, ...applyPatch(programInput, program, withStoredCodes(patch)) };
    await updateProgram(tx, changed);
    const after = asResource(changed);
    noteChange(tx, { resourceId: changed.id, before: asResource(program), after });
    return after;
  });
}

/**
 * The program of a request: the given one, or the account's only one. If the account has several, the only one that is
 * not archived.
 *
 * @throws ServiceError `NOT_FOUND` when this account has no such program; `VALIDATION_ERROR` when none is given and the
 * account has several, or none
 */
export async function resolveProgram(
  tx: Transaction,
  accountId: AccountId,
  programId: string | null,
): Promise<ProgramId> {
  if (programId !== null) return (await requireProgram(tx, accountId, programId)).id;
  const [only, ...others] = await firstProgramsInUse(tx, accountId);
  if (only !== undefined && others.length === 0) return only.id;
  const message =
    only === undefined
      ? 'this account has no program yet; create one first (in the API: POST /api/programs)'
      : `is required, because this account has several programs: ${[only, ...others].map(nameProgram).join(', ')}`;
  throw validationError([{ path: 'programId', message }]);
}

/** The account's only program in use; null when there are several, or none. */
export async function findOnlyProgram(tx: Transaction, accountId: AccountId): Promise<ProgramId | null> {
  const [only, ...others] = await firstProgramsInUse(tx, accountId);
  return only !== undefined && others.length === 0 ? only.id : null;
}

/** All are archived where none is in use. */
async function firstProgramsInUse(tx: Transaction, accountId: AccountId) {
  const programs = await findFirstPrograms(tx, accountId, NAMED_PROGRAMS_MAX);
  const inUse = programs.filter(({ isArchived }) => isArchived === 0);
  return inUse.length === 0 ? programs : inUse;
}

/** @throws ServiceError `NOT_FOUND` when this account has no such program */
export async function requireProgram(tx: Transaction, accountId: AccountId, id: string): Promise<Program> {
  const program = await findProgram(tx, accountId, id);
  if (program === undefined) throw notFound('program', id);
  return program;
}

/**
 * Like `requireProgram`, for units that add something to a program, so that nobody deletes the program before they end.
 *
 * @throws ServiceError `NOT_FOUND`
 */
export async function requireKeptProgram(tx: Transaction, accountId: AccountId, id: string): Promise<Program> {
  const program = await keepProgram(tx, accountId, id);
  if (program === undefined) throw notFound('program', id);
  return program;
}

/**
 * Like `requireKeptProgram`, for what an archived program does not accept.
 *
 * @throws ServiceError `NOT_FOUND` when this account has no such program; `INVALID_STATE` when it is archived
 */
export async function requireProgramInUse(tx: Transaction, accountId: AccountId, id: string): Promise<Program> {
  const program = await requireKeptProgram(tx, accountId, id);
  if (program.archivedAt === null) return program;
  const remedy = `restore it (in the API: POST /api/programs/${id}/unarchive), or use another`;
  throw new ServiceError('INVALID_STATE', `The program ${id} is archived; ${remedy}`);
}

function nameProgram({ id, name }: { id: string; name: string }): string {
  return `${id} (${name})`;
}

export function asResource(program: Program): ProgramResource {
  return {
    id: program.id,
    name: program.name,
    description: program.description,
    commission: program.commission,
    durationMonths: program.durationMonths,
    holdDays: program.holdDays,
    minimumPayout: program.minimumPayout,
    amountBasis: program.amountBasis,
    emailMatching: program.emailMatching,
    selfReferral: program.selfReferral,
    trackedHosts: program.trackedHosts,
    clickParameters: program.clickParameters,
    viaParameters: program.viaParameters,
    defaultUrl: program.defaultUrl,
    deadLinkUrl: program.deadLinkUrl,
    portal: portalAsResource(program.portal),
    archivedAt: isoTimeOrNull(program.archivedAt),
  };
}

function portalAsResource({ theme, ...portal }: PortalSettings): ProgramResource['portal'] {
  return {
    allowedOrigins: portal.allowedOrigins,
    showBranding: portal.showBranding,
    showEarnings: portal.showEarnings,
    showPayoutHistory: portal.showPayoutHistory,
    showReferralLink: portal.showReferralLink,
    showStats: portal.showStats,
    theme: {
      title: theme.title,
      description: theme.description,
      fontFamily: theme.fontFamily,
      logoUrl: theme.logoUrl,
      shadcnTheme: { light: theme.shadcnTheme.light, dark: theme.shadcnTheme.dark },
    },
  };
}
