import { type Commission, DEFAULT_TERMS } from '../../core/terms.ts';
import { listPartners } from '../../programs/partners.ts';
import { changeProgram, createProgram, getProgram, listPrograms } from '../../programs/programs.ts';
import { type ProgramResource, partnerListQuery, programInput, programListQuery } from '../../programs/schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { refused } from '../manifest.ts';
import { findRecord, isImportedProgram, putRecord } from '../queries/imported-records.ts';
import type { MovedProgram } from './facts.ts';
import { type Applied, changed, created, type MovedTarget, unchanged } from './target.ts';

const PROGRAMS_LOOKED_AT = '100';
const NAME_ONE = 'name the program of all partners with --program';

/**
 * A program of the source becomes the target's program if there is one; otherwise the program that it became before, or
 * the one with the same name. All of these keep their terms. Otherwise it becomes the account's only program if that
 * has no partners yet and is not another one of the source, or a new one. If the source does not state its terms, it can
 * only become the account's single program.
 */
export async function applyProgram(target: MovedTarget, program: MovedProgram): Promise<Applied> {
  const { tx, service, accountId, source, programId } = target;
  const key = { source: source.name, kind: 'program', sourceId: program.id } as const;
  const record = (ownId: string) => putRecord(tx, accountId, key, { ownId, state: null, amount: null, currency: null });
  if (programId !== null) {
    record(programId);
    return withParameters(target, await getProgram(service, accountId, programId), program);
  }
  const known = await findRecord(tx, accountId, key);
  // again, because links with other parameters may have been added there, or were not read by earlier versions
  if (known !== undefined) return withParameters(target, await getProgram(service, accountId, known.ownId), program);
  const { data: programs } = await listPrograms(
    service,
    accountId,
    parseInput(programListQuery, { limit: PROGRAMS_LOOKED_AT }),
  );
  const named = programs.find(({ name }) => name.toLowerCase() === program.name.toLowerCase());
  if (named !== undefined) {
    record(named.id);
    return withParameters(target, named, program);
  }
  const { commission } = program;
  if (commission === null) {
    const [only, ...others] = programs;
    if (only === undefined || others.length > 0)
      throw refused(`${source.title} does not report its terms: ${NAME_ONE}`);
    record(only.id);
    return withParameters(target, only, program);
  }
  const unused = await findUnused(target, programs);
  if (unused === null) {
    record((await createProgram(service, accountId, parseInput(programInput, termsOf({ ...program, commission })))).id);
    return created;
  }
  await changeProgram(service, accountId, unused.id, parameters(unused, program, termsOf({ ...program, commission })));
  record(unused.id);
  return { result: 'changed', reason: "the account's unused program took its name and terms" };
}

/** Our id of a program of the source; null for the account's only one. */
export async function programIdOf(
  { tx, accountId, source, programId }: MovedTarget,
  sourceId: string | null,
): Promise<string | null> {
  if (programId !== null || sourceId === null) return programId;
  const found = await findRecord(tx, accountId, { source: source.name, kind: 'program', sourceId });
  if (found !== undefined) return found.ownId;
  throw refused(`Its program ${sourceId} was not imported: ${NAME_ONE}`);
}

/** The account's only program, if it has no partners and did not come from the source. */
async function findUnused(
  { tx, service, accountId, source }: MovedTarget,
  programs: readonly ProgramResource[],
): Promise<ProgramResource | null> {
  const [only, ...others] = programs;
  if (only === undefined || others.length > 0) return null;
  if (await isImportedProgram(tx, accountId, { source: source.name, ownId: only.id })) return null;
  const { data: partners } = await listPartners(
    service,
    accountId,
    parseInput(partnerListQuery, { programId: only.id, limit: '1', archived: 'all' }),
  );
  return partners.length === 0 ? only : null;
}

async function withParameters(
  { service, accountId }: MovedTarget,
  known: ProgramResource,
  program: MovedProgram,
): Promise<Applied> {
  const patch = parameters(known, program, {});
  if (patch.viaParameters.length === known.viaParameters.length) {
    return { ...unchanged, reason: 'the terms stay those of the program here' };
  }
  await changeProgram(service, accountId, known.id, patch);
  return {
    ...changed,
    reason: `links with ${program.viaParameters.map((name) => `?${name}=`).join(' and ')} work; the terms stay`,
  };
}

/** The patch, with the parameters of both programs. */
function parameters<Patch extends object>({ viaParameters }: ProgramResource, program: MovedProgram, patch: Patch) {
  return { ...patch, viaParameters: [...new Set([...viaParameters, ...program.viaParameters])] };
}

function termsOf({
  name,
  commission,
  durationMonths,
  holdDays,
  minimumPayout,
  viaParameters,
}: MovedProgram & { commission: Commission }) {
  return {
    name,
    commission,
    durationMonths,
    holdDays: holdDays ?? DEFAULT_TERMS.holdDays,
    minimumPayout: { ...minimumPayout },
    viaParameters: [...viaParameters],
  };
}
