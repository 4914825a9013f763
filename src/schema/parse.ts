import { z } from 'zod';
import { PROBLEMS_MAX, type Problem, validationError } from '../errors.ts';
import { isObject } from './is-object.ts';
import { unknownMembers } from './unknown-members.ts';

export interface InputOptions {
  /** Whether unknown members are refused, or dropped because callers may send more than needed. */
  unknown: 'refuse' | 'ignore';
}

/**
 * Parses the input with its schema.
 *
 * @throws ServiceError `VALIDATION_ERROR` with every problem at once
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  { unknown }: InputOptions = { unknown: 'ignore' },
): z.output<Schema> {
  requireObject(input);
  return parseOrRefuse(schema, input, unknown === 'refuse' ? unknownMembers(schema, input) : []);
}

/**
 * As `parseInput`; also reports `problems` that were found before.
 *
 * @throws ServiceError `VALIDATION_ERROR` with every problem at once
 */
export function parseOrRefuse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  problems: readonly Problem[],
): z.output<Schema> {
  const { data, issues } = check(schema, input);
  if (issues.length + problems.length === 0) return data as z.output<Schema>;
  throw validationError([...problems, ...issues.map(asProblem)]);
}

/** The parsed input, unless there are issues. */
export interface Checked {
  data: unknown;
  /** What is wrong with the input, in our words, except for missing members. One more than an error names, at most. */
  issues: z.core.$ZodIssue[];
}

/** As `safeParse`, which would also find words for ten thousand issues that nobody reads. */
export function check(schema: z.ZodType, input: unknown): Checked {
  const context = { async: false, reportInput: true, error: inOurWords } as const;
  const result = schema._zod.run({ value: input, issues: [] }, context);
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  const named = result.issues.slice(0, PROBLEMS_MAX + 1);
  return {
    data: result.value,
    issues: named.map((issue) => z.core.util.finalizeIssue(issue, context, z.core.config())),
  };
}

/**
 * Checks that a JSON Merge Patch names only members of the resource, and returns it unchanged; `applyPatch` parses the
 * values.
 *
 * @throws ServiceError `VALIDATION_ERROR` when it is not an object, or has a member that the resource lacks
 */
export function parsePatch(schema: z.ZodObject, patch: unknown): Record<string, unknown> {
  const object = requireObject(patch);
  const unknowns = unknownMembers(schema, object, 'patch');
  if (unknowns.length > 0) throw validationError(unknowns);
  return object;
}

/** @throws ServiceError `VALIDATION_ERROR` when the body is anything else */
export function requireObject(input: unknown): Record<string, unknown> {
  if (isObject(input)) return input as Record<string, unknown>;
  throw validationError([{ path: '', message: 'The body must be a JSON object' }]);
}

/** For what a schema has no message of its own. */
const inOurWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code !== 'too_big') return undefined;
  const { origin, maximum } = issue;
  if (origin === 'string') return `must have at most ${maximum} characters`;
  return origin === 'array' ? `must have at most ${maximum} entries` : `must be at most ${maximum}`;
};

/** The types that JSON calls otherwise. */
const TYPE_NAMES: Readonly<Record<string, string>> = { record: 'object', int: 'whole number' };

/** Names the place of a problem as callers write it: `results.3.status`. */
export function asProblem(issue: z.core.$ZodIssue): Problem {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'invalid_type' && issue.input === undefined) return { path, message: 'is required' };
  if (issue.code === 'invalid_type') {
    const expected = TYPE_NAMES[issue.expected] ?? issue.expected;
    // such as a parameter of the query that is given twice
    if (Array.isArray(issue.input) && expected !== 'object') return { path, message: 'must be one value, not a list' };
    return { path, message: `must be ${/^[aeio]/.test(expected) ? 'an' : 'a'} ${expected}` };
  }
  return { path, message: issue.message };
}
