import type { z } from 'zod';
import type { Interpretation } from '../../src/core/facts.ts';

/** A body of another kind lacks dozens of members; naming a few is enough. */
const PROBLEMS_NAMED_MAX = 5;

/**
 * Interprets `data` when it matches the schema; otherwise `unknown`, with the members that do not match.
 * The reason names members and never their values.
 *
 * @param what how that reason starts: `order.paid`, `The body`
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

/** `unknown` for a wrong shape, in the wording of `interpretAs`; for adapters whose check is not a schema. */
export function notAsDescribed(what: string, problems: readonly string[]): Interpretation {
  const named = problems.slice(0, PROBLEMS_NAMED_MAX).join('; ');
  const others = problems.length - PROBLEMS_NAMED_MAX;
  return {
    kind: 'unknown',
    reason: `${what} has an unexpected form: ${named}${others > 0 ? `; and ${others} more` : ''}`,
  };
}
