import { z } from 'zod';
import { claimKeys } from '../app/claims.ts';
import { freeText, optional, parseInput, text, withDefault } from '../app/fields.ts';
import { hostField } from '../app/host-field.ts';
import { mergePatch } from '../app/merge-patch.ts';
import { type Page, pageInput, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import { DEFAULT_PORTAL } from '../core/portal.ts';
import { DEFAULT_TERMS } from '../core/terms.ts';
import { notFound, validationError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { Transaction } from '../storage/database.ts';
import { portalField } from './portal-fields.ts';
import {
  findFirstPrograms,
  findProgram,
  findPrograms,
  insertProgram,
  type Program,
  updateProgram,
} from './queries/programs.ts';
import {
  amountBasisField,
  amountsField,
  commissionField,
  durationMonthsField,
  holdDaysField,
  selfReferralField,
} from './terms-fields.ts';

const HOSTS_MAX = 50;
/** How many programs the hint of an ambiguous request names. */
const NAMED_PROGRAMS_MAX = 5;

const programInput = z.object({
  name: text(),
  description: withDefault(freeText(2000), ''),
  commission: withDefault(commissionField, DEFAULT_TERMS.commission),
  durationMonths: optional(durationMonthsField),
  holdDays: withDefault(holdDaysField, DEFAULT_TERMS.holdDays),
  minimumPayout: withDefault(amountsField, DEFAULT_TERMS.minimumPayout),
  amountBasis: withDefault(amountBasisField, DEFAULT_TERMS.amountBasis),
  emailMatching: withDefault(z.boolean(), DEFAULT_TERMS.emailMatching),
  selfReferral: withDefault(selfReferralField, DEFAULT_TERMS.selfReferral),
  trackedHosts: withDefault(
    z
      .array(hostField)
      .max(HOSTS_MAX, `must have at most ${HOSTS_MAX} hosts`)
      .transform((hosts) => [...new Set(hosts)]),
    [],
  ),
  portal: withDefault(portalField, DEFAULT_PORTAL),
});

const programPageInput = pageInput('prg');

/** A program as it is answered. */
export type ProgramResource = Omit<Program, 'accountId' | 'createdAt'>;

/** A program with all defaults, as every account begins with; not stored yet. `now` in epoch milliseconds. */
function defaultProgram(accountId: string, name: string, now: number): Program {
  return {
    ...DEFAULT_TERMS,
    id: createId('prg'),
    accountId,
    name,
    description: '',
    trackedHosts: [],
    portal: DEFAULT_PORTAL,
    createdAt: now,
  };
}

/** Adds a program with all defaults inside the caller's unit of work; returns its id. */
export async function addDefaultProgram(
  tx: Transaction,
  accountId: string,
  name: string,
  now: number,
): Promise<string> {
  const program = defaultProgram(accountId, name, now);
  await insertProgram(tx, program);
  return program.id;
}

/** @throws ServiceError `VALIDATION_ERROR` */
export async function createProgram(service: Service, accountId: string, body: unknown): Promise<ProgramResource> {
  const input = parseInput(programInput, body);
  const program: Program = { ...input, id: createId('prg'), accountId, createdAt: service.clock() };
  await service.database.write((tx) => insertProgram(tx, program));
  return asResource(program);
}

/** The newest first. */
export function listPrograms(service: Service, accountId: string, query: unknown): Promise<Page<ProgramResource>> {
  const page = parseInput(programPageInput, query);
  return service.database.read((tx) => pageOf(page, (bounds) => findPrograms(tx, accountId, bounds), asResource));
}

/** @throws ServiceError `NOT_FOUND` */
export async function getProgram(service: Service, accountId: string, id: string): Promise<ProgramResource> {
  const program = await service.database.read((tx) => requireProgram(tx, accountId, id));
  return asResource(program);
}

/**
 * A JSON Merge Patch; null brings a member's default back. What sales have earned already stays as it is.
 *
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`
 */
export function changeProgram(
  service: Service,
  accountId: string,
  id: string,
  patch: unknown,
): Promise<ProgramResource> {
  return service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.program(id)]);
    const program = await requireProgram(tx, accountId, id);
    const changed = { ...program, ...parseInput(programInput, mergePatch(program, patch)) };
    await updateProgram(tx, changed);
    return asResource(changed);
  });
}

/**
 * The program that a request is about: the named one, or the account's only one.
 *
 * @throws ServiceError `NOT_FOUND` for one that is not this account's, `VALIDATION_ERROR` when none is named and there
 * are several, or none
 */
export async function resolveProgram(tx: Transaction, accountId: string, programId: string | null): Promise<string> {
  if (programId !== null) return (await requireProgram(tx, accountId, programId)).id;
  const [only, ...others] = await findFirstPrograms(tx, accountId, NAMED_PROGRAMS_MAX);
  if (only !== undefined && others.length === 0) return only.id;
  const message =
    only === undefined
      ? 'this account has no program yet; make one with POST /api/programs'
      : `is required, because this account has several programs: ${[only, ...others].map(nameProgram).join(', ')}`;
  throw validationError([{ path: 'programId', message }]);
}

async function requireProgram(tx: Transaction, accountId: string, id: string): Promise<Program> {
  const program = await findProgram(tx, accountId, id);
  if (program === undefined) throw notFound('program', id);
  return program;
}

function nameProgram({ id, name }: { id: string; name: string }): string {
  return `${id} (${name})`;
}

function asResource({ accountId: _account, createdAt: _created, ...program }: Program): ProgramResource {
  return program;
}
