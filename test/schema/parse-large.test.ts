import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput } from '../../src/schema/parse.ts';
import { parseLargeInput } from '../../src/schema/parse-large.ts';

const result = z.object({ id: z.string().trim().min(1), status: z.enum(['paid', 'failed']) });
const schema = z
  .object({
    note: z.string().max(3),
    results: z
      .array(result)
      .min(2)
      .max(1_200)
      .refine((results) => results[0]?.id !== 'never', 'must not begin with never'),
    ids: z.array(z.string()).optional(),
  })
  .refine(({ note }) => note !== 'no', 'must not say no');

const valid = { id: ' a ', status: 'paid' };
const many = (length: number, change: (nth: number) => object = () => ({})) =>
  Array.from({ length }, (_, nth) => ({ ...valid, ...change(nth) }));

it.each<[string, unknown]>([
  ['valid', { note: 'yes', results: many(2) }],
  ['valid, and of several slices', { note: 'yes', results: many(1_200), ids: ['a'] }],
  ['of another type', []],
  ['nothing', null],
  ['empty', {}],
  ['with a list of another type', { note: 'yes', results: 'many' }],
  ['with entries of another type', { note: 'yes', results: [1, null] }],
  ['with too few entries', { note: 'yes', results: many(1) }],
  ['with too many entries', { note: 'yes', results: many(1_201) }],
  [
    'with one bad entry in a later slice',
    { note: 'yes', results: many(700, (nth) => (nth === 650 ? { id: '' } : {})) },
  ],
  [
    'with bad entries in each slice',
    { note: 'yes', results: many(1_100, (nth) => ({ status: nth % 2 ? 'paid' : 0 })) },
  ],
  ['with a bad entry and too many', { note: 'yes', results: many(1_300, (nth) => (nth === 3 ? { id: 3 } : {})) }],
  ['with a bad entry and too few', { note: 'yes', results: [{ ...valid, id: 3 }] }],
  ['with a refused list', { note: 'yes', results: many(3, () => ({ id: ' never' })) }],
  ['refused', { note: 'no', results: many(3) }],
  ['with problems everywhere', { note: 'long', results: many(3, () => ({ id: 0, more: 1 })), ids: [1] }],
])('an input is checked like any other: %s', async (_what, input) => {
  const outcome = async (parse: () => unknown) => {
    try {
      return await parse();
    } catch (error) {
      return error;
    }
  };
  const expected = await outcome(() => parseInput(schema, input, { unknown: 'refuse' }));
  expect(await outcome(() => parseLargeInput(schema, input))).toEqual(expected);
});

it('other requests have their turn between the unknown members and the values, and between 500 entries of a list', async () => {
  let turns = 0;
  let isOver = false;
  const countTurns = () => {
    turns += 1;
    if (!isOver) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const turnsBefore = new Map<number, number>();
  const watched = z.object({
    results: z.array(result.refine(() => turnsBefore.set(turns, (turnsBefore.get(turns) ?? 0) + 1) !== undefined)),
  });
  await parseLargeInput(watched, { results: many(1_200) });
  isOver = true;
  expect([...turnsBefore]).toEqual([
    [1, 500],
    [2, 500],
    [3, 200],
  ]);
});
