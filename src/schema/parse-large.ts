import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import { validationError } from '../errors.ts';
import { asProblem, check, requireObject } from './parse.ts';
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
  const unknown = unknownMembers(schema, object);
  await yieldToEventLoop();
  const { members, issues } = await checkLists(schema, object);
  const rest = check(withCheckedLists(schema), { ...object, ...members });
  if (rest.success && issues.length === 0 && unknown.length === 0) return rest.data as z.output<Schema>;
  const others = rest.error?.issues ?? [];
  // as for any input, nothing is said about the entries of a list that is too long
  const tooLong = others.filter(({ code, path }) => code === 'too_big' && path.length === 1).map(({ path }) => path[0]);
  const named = issues.filter(({ path }) => !tooLong.includes(path[0]));
  throw validationError([...unknown, ...inOrder(schema, [...named, ...others]).map(asProblem)]);
}

/** The lists of objects that are members of the schema, with their entries. */
function listsOf(schema: z.ZodType): [string, z.ZodArray<z.ZodObject>][] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).filter(
    (member): member is [string, z.ZodArray<z.ZodObject>] =>
      member[1] instanceof z.ZodArray && member[1].element instanceof z.ZodObject,
  );
}

/** Checks the entries of the lists, slice by slice. The members are as parsed, if all of their entries are valid. */
async function checkLists(schema: z.ZodType, object: Record<string, unknown>) {
  const members: Record<string, unknown[]> = {};
  const issues: Issue[] = [];
  for (const [name, { element }] of listsOf(schema)) {
    const entries = object[name];
    if (!Array.isArray(entries)) continue;
    const slices = z.array(element);
    const parsed: unknown[] = [];
    for (let start = 0; start < entries.length; start += ENTRIES_PER_TURN) {
      if (start > 0) await yieldToEventLoop();
      const { data, error } = check(slices, entries.slice(start, start + ENTRIES_PER_TURN));
      parsed.push(...(data ?? []));
      for (const issue of error?.issues ?? []) {
        const [index, ...inside] = issue.path;
        issues.push({ ...issue, path: [name, start + Number(index), ...inside] });
      }
    }
    if (parsed.length === entries.length) members[name] = parsed;
  }
  return { members, issues };
}

const withoutEntries = new WeakMap<z.ZodType, z.ZodType>();

/** The schema without what `checkLists` checks: of its lists, only the length and the like. */
function withCheckedLists(schema: z.ZodType): z.ZodType {
  const lists = listsOf(schema);
  if (lists.length === 0) return schema;
  const known = withoutEntries.get(schema);
  if (known !== undefined) return known;
  const { def } = schema._zod as z.core.$ZodObjectInternals;
  const loose = lists.map(([name, list]) => [name, list.clone({ ...list.def, element: z.unknown() } as never)]);
  const created = schema.clone({ ...def, shape: { ...def.shape, ...Object.fromEntries(loose) } } as never);
  withoutEntries.set(schema, created);
  return created;
}

/** The issues in the order of the members, those of a list's entries before those of the list. */
function inOrder(schema: z.ZodType, issues: readonly Issue[]): Issue[] {
  const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const place = ({ path: [name] }: Issue) => (name === undefined ? names.length : names.indexOf(String(name)));
  return issues.toSorted((a, b) => place(a) - place(b));
}
