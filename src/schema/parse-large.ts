import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { PROBLEMS_MAX, type Problem, validationError } from '../errors.ts';
import { asProblem, check, parseOrRefuse, requireObject } from './parse.ts';
import { unknownMembers } from './unknown-members.ts';

/** Checking them takes milliseconds when the code runs for the first time. */
const ENTRIES_PER_TURN = 500;

type Issue = z.core.$ZodIssue;

/**
 * As `parseInput`, refusing unknown members, for an input of thousands of values: other requests have their turn between
 * the search for unknown members and the check of the known ones, and between the slices of a list of objects.
 *
 * @throws ServiceError `VALIDATION_ERROR` with every problem at once
 */
export async function parseLargeInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): Promise<z.output<Schema>> {
  const object = requireObject(input);
  const lists = listsOf(schema);
  const unknown = await unknownInTurns(schema, object, new Map(lists));
  await yieldToEventLoop();
  if (lists.length === 0) return parseOrRefuse(schema, object, unknown);
  const { data, issues: others } = check(withoutEntries(schema, lists), object);
  const parsed: Record<string, unknown[]> = {};
  const issues: Issue[] = [];
  for (const [name, { element }] of lists) {
    const entries = object[name];
    // as for any input, nothing is said about the entries of a list that is too long
    if (!Array.isArray(entries) || others.some((issue) => isTooLong(issue, name))) continue;
    const checked = await checkEntries(element, entries);
    parsed[name] = checked.parsed;
    for (const issue of checked.issues) issues.push({ ...issue, path: [name, ...issue.path] });
  }
  if (unknown.length + issues.length + others.length === 0)
    return { ...(data as object), ...parsed } as z.output<Schema>;
  throw validationError([...unknown, ...inOrder(schema, [...issues, ...others]).map(asProblem)]);
}

/** As `unknownMembers`; the entries of lists are looked through slice by slice. */
async function unknownInTurns(
  schema: z.ZodType,
  object: Record<string, unknown>,
  lists: ReadonlyMap<string, z.ZodArray<z.ZodObject>>,
): Promise<Problem[]> {
  if (lists.size === 0) return unknownMembers(schema, object);
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(object)) {
    const list = lists.get(name);
    const isList = list !== undefined && Array.isArray(value);
    const found = isList
      ? await unknownInEntries(list.element, value, name)
      : unknownMembers(schema, { [name]: value });
    problems.push(...found);
    if (problems.length >= PROBLEMS_MAX) break;
  }
  return problems;
}

async function unknownInEntries(element: z.ZodObject, entries: readonly unknown[], path: string): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index > 0 && index % ENTRIES_PER_TURN === 0) await yieldToEventLoop();
    if (typeof entry === 'object' && entry !== null) {
      problems.push(...unknownMembers(element, entry, 'input', `${path}.${index}`));
    }
    if (problems.length >= PROBLEMS_MAX) break;
  }
  return problems;
}

type List = [name: string, list: z.ZodArray<z.ZodObject>];

/** The lists of objects that are members of the schema; none if it checks more of a list than its entries and length. */
function listsOf(schema: z.ZodType): List[] {
  if (!(schema instanceof z.ZodObject) || schema.def.checks?.length) return [];
  return Object.entries(schema.shape).filter(
    (member): member is List =>
      member[1] instanceof z.ZodArray &&
      member[1].element instanceof z.ZodObject &&
      (member[1].def.checks ?? []).every((each) => LENGTH_CHECKS.has(each._zod.def.check)),
  );
}

const LENGTH_CHECKS: ReadonlySet<string> = new Set(['min_length', 'max_length', 'length_equals']);

function isTooLong({ code, path }: Issue, name: string): boolean {
  return code === 'too_big' && path.length === 1 && path[0] === name;
}

/** Checks the entries slice by slice, until there are more problems than an error names. */
async function checkEntries(element: z.ZodObject, entries: readonly unknown[]) {
  const slices = z.array(element);
  const parsed: unknown[] = [];
  const issues: Issue[] = [];
  for (let start = 0; start < entries.length && issues.length <= PROBLEMS_MAX; start += ENTRIES_PER_TURN) {
    if (start > 0) await yieldToEventLoop();
    const checked = check(slices, entries.slice(start, start + ENTRIES_PER_TURN));
    if (checked.issues.length === 0) parsed.push(...(checked.data as unknown[]));
    for (const { path, ...issue } of checked.issues) {
      const [index, ...inside] = path;
      issues.push({ ...issue, path: [start + Number(index), ...inside] } as Issue);
    }
  }
  return { parsed, issues };
}

const withoutEntriesOf = new WeakMap<z.ZodType, z.ZodType>();

/** The schema with anything as the entries of the lists. */
function withoutEntries(schema: z.ZodType, lists: readonly List[]): z.ZodType {
  const known = withoutEntriesOf.get(schema);
  if (known !== undefined) return known;
  const { def } = schema._zod as z.core.$ZodObjectInternals;
  const loose = lists.map(([name, list]) => [name, list.clone({ ...list.def, element: z.unknown() } as never)]);
  const created = schema.clone({ ...def, shape: { ...def.shape, ...Object.fromEntries(loose) } } as never);
  withoutEntriesOf.set(schema, created);
  return created;
}

/** The issues in the order of the members, those of a list's entries before those of the list. */
function inOrder(schema: z.ZodType, issues: readonly Issue[]): Issue[] {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const place = ({ path: [name] }: Issue) => (name === undefined ? names.length : names.indexOf(String(name)));
  return issues.toSorted((a, b) => place(a) - place(b));
}
