import type { z } from 'zod';
import type { Interpretation } from '../../src/core/facts.ts';

/**
 * Interprets `data` when it has the described shape; otherwise `unknown`, with each member that is not as described.
 * The reason names members and never their values.
 *
 * @param what the beginning of that reason: `order.paid`, `The body`
 */
export function interpretAs<Schema extends z.ZodType>(
  what: string,
  schema: Schema,
  data: unknown,
  interpretData: (data: z.output<Schema>) => Interpretation,
): Interpretation {
  const result = schema.safeParse(data);
  if (result.success) return interpretData(result.data);
  const problems = result.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  return { kind: 'unknown', reason: `${what} is not as described: ${problems.join('; ')}` };
}
