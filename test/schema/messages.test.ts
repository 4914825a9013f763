import { expect, it } from 'vitest';
import { z } from 'zod';
import { createRoutes } from '../../src/http/routes.ts';
import { parseInput } from '../../src/schema/parse.ts';

const choice = z.object({ status: z.enum(['open', 'paid']) });
const limited = z.object({ names: z.array(z.string().max(2)).max(1), count: z.int().max(3) });

it.each([
  [choice, { status: 'late' }, 'status: must be one of open, paid'],
  [limited, { names: ['abc'], count: 1 }, 'names.0: must have at most 2 characters'],
  [limited, { names: ['a', 'b'], count: 4 }, 'names: must have at most 1 entries; count: must be at most 3'],
  [limited, { names: [], count: 1.5 }, 'count: must be a whole number'],
])('what a schema has no words for is said in ours: %#', (schema, input, message) => {
  expect(() => parseInput(schema, input)).toThrow(message);
});

it.each(createRoutes().flatMap(({ operationId, query }) => (query ? [[operationId, query] as const] : [])))(
  'every problem with a parameter of %s is a sentence about it',
  (_, query) => {
    for (const name of Object.keys((query as z.ZodObject).shape)) {
      const problems = query.safeParse({ [name]: '??' }).error?.issues ?? [];
      if (problems.length > 0) expect(() => parseInput(query, { [name]: '??' })).toThrow(/^\w+: (?:must|is|may) /);
    }
  },
);
