import type { z } from 'zod';
import type { Interpretation } from '../../src/core/facts.ts';
import { unknown } from './interpretations.ts';

/** A body of the wrong kind lacks dozens of members; naming a few is enough. */
const PROBLEMS_NAMED_MAX = 5;

/**
 * Interprets `data` when it matches the schema; otherwise returns `unknown` with the members that do not match. The
 * reason names members but never their values.
 *
 * @param what the start of the reason: `order.paid`, `The body`
 */
export function interpretAs<Schema extends z.ZodType>(
  what: string,
  schema: Schema,
  data: unknown,
  interpretData: (data: z.output<Schema>) => Interpretation,
): Interpretation {
  if (typeof data !== 'object' || data === null) return notAsDescribed(what, ['it is not a JSON object']);
  const result = schema.safeParse(data);
  if (result.success) return interpretData(result.data);
  const problems = result.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  return notAsDescribed(what, problems);
}

/** Returns `unknown` for a wrong shape, with the wording of `interpretAs`, for adapters that do not check by schema. */
export function notAsDescribed(what: string, problems: readonly string[]): Interpretation {
  const named = problems.slice(0, PROBLEMS_NAMED_MAX).join('; ');
  const others = problems.length - PROBLEMS_NAMED_MAX;
  return unknown(`${what} has an unexpected form: ${named}${others > 0 ? `; and ${others} more` : ''}`);
}
