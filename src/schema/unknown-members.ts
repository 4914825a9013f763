import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { PROBLEMS_MAX, type Problem } from '../errors.ts';
import { isObject } from './is-object.ts';

/** A value of these types has no known members. A record or list of them may have thousands, which need no look. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(['string', 'unknown']);

/** More edits than this, or edits in more than half of the characters, are not a typing error. */
const EDITS_MAX = 3;

/**
 * What is checked. In a patch, a member of any alternative of a union is known: only the merge shows which alternative
 * results, and a patch may set members of the old alternative to null.
 */
type Kind = 'input' | 'patch';

type UnionDef = z.core.$ZodUnionDef & Partial<Pick<z.core.$ZodDiscriminatedUnionDef, 'discriminator'>>;

/**
 * The members of `input` that the schema lacks, at any depth, each with the closest known name. About as many as an error
 * names, because a body may have a hundred thousand.
 */
export function unknownMembers(schema: z.core.$ZodType, input: unknown, kind: Kind = 'input', path = ''): Problem[] {
  const { def } = (schema as z.ZodType)._zod;
  switch (def.type) {
    case 'object':
      return isObject(input) ? inObject((def as z.core.$ZodObjectDef).shape, input, kind, path) : [];
    case 'record':
      return isObject(input) ? inRecord((def as z.core.$ZodRecordDef).valueType, input, kind, path) : [];
    case 'array':
      return Array.isArray(input) ? inArray((def as z.core.$ZodArrayDef).element, input, kind, path) : [];
    case 'union':
      return inUnion(def as UnionDef, input, kind, path);
    case 'pipe':
      return unknownMembers((def as z.core.$ZodPipeDef).in, input, kind, path);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unknownMembers((def as z.core.$ZodOptionalDef).innerType, input, kind, path);
    default:
      return [];
  }
}

function inObject(shape: z.core.$ZodLooseShape, input: object, kind: Kind, path: string): Problem[] {
  return firstProblems(Object.keys(input), (name) => {
    const member = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (member !== undefined) return inChild(member, Reflect.get(input, name), kind, path, name);
    return [{ path: under(path, name), message: `is not known; ${hintFor(name, Object.keys(shape))}` }];
  });
}

function inRecord(valueType: z.core.$ZodType, input: object, kind: Kind, path: string): Problem[] {
  if (isPlain(valueType)) return [];
  return firstProblems(Object.keys(input), (name) => inChild(valueType, Reflect.get(input, name), kind, path, name));
}

function inArray(element: z.core.$ZodType, input: readonly unknown[], kind: Kind, path: string): Problem[] {
  if (isPlain(element)) return [];
  return firstProblems(input.keys(), (index) => inChild(element, input[index], kind, path, index));
}

function isPlain(type: z.core.$ZodType): boolean {
  return PLAIN_TYPES.has((type as z.ZodType)._zod.def.type);
}

/** Names the place only of values that have members. */
function inChild(type: z.core.$ZodType, value: unknown, kind: Kind, path: string, name: string | number) {
  return typeof value === 'object' && value !== null
    ? unknownMembers(type, value, kind, under(path, String(name)))
    : [];
}

function firstProblems<Name>(names: Iterable<Name>, problemsOf: (name: Name) => Problem[]): Problem[] {
  const problems: Problem[] = [];
  for (const name of names) {
    const found = problemsOf(name);
    if (found.length > 0) problems.push(...found);
    if (problems.length >= PROBLEMS_MAX) break;
  }
  return problems;
}

/** Checks against the intended alternative or, when that is unclear, against the one that knows most of the input. */
function inUnion(def: UnionDef, input: unknown, kind: Kind, path: string): Problem[] {
  const problemsOf = def.options.map((option) => ({ option, problems: unknownMembers(option, input, kind, path) }));
  if (problemsOf.every(({ problems }) => problems.length === 0)) return [];
  const found = problemsOf.map((one) => ({ ...one, isIntended: isIntended(def, one.option, input) }));
  const intended = found.filter((alternative) => alternative.isIntended);
  const [best] = (intended.length > 0 ? intended : found).toSorted((a, b) => a.problems.length - b.problems.length);
  const problems = best?.problems ?? [];
  if (kind === 'input') return problems;
  return problems.filter(({ path }) => found.every((other) => other.problems.some((problem) => problem.path === path)));
}

/** True when the input names this alternative by its discriminator or, without one, is valid as this alternative. */
function isIntended({ discriminator }: UnionDef, option: z.core.$ZodType, input: unknown): boolean {
  const { def } = (option as z.ZodType)._zod;
  if (discriminator === undefined || def.type !== 'object') return (option as z.ZodType).safeParse(input).success;
  const name = (def as z.core.$ZodObjectDef).shape[discriminator] as z.ZodType;
  return isObject(input) && name.safeParse(Reflect.get(input, discriminator)).success;
}

function hintFor(name: string, known: readonly string[]): string {
  const [nearest] = known
    // a name may have a million characters, and each edit changes the length by at most one
    .filter((candidate) => Math.abs(candidate.length - name.length) <= EDITS_MAX)
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  if (nearest !== undefined && nearest.edits <= editsMax(name, nearest.candidate)) {
    return `did you mean ${nearest.candidate}?`;
  }
  return known.length === 0 ? 'nothing is expected here' : `known are ${known.join(', ')}`;
}

function editsMax(name: string, candidate: string): number {
  return Math.min(EDITS_MAX, Math.ceil(Math.max(name.length, candidate.length) / 2), name.length - 1);
}

function under(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
