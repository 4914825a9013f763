import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput } from '../../src/schema/parse.ts';
import { parseLargeInput } from '../../src/schema/parse-large.ts';
import { rounds } from '../helpers/rounds.ts';
import { turnsOf } from '../helpers/turns-of.ts';

const result = z.object({ id: z.string().trim().min(1), status: z.enum(['paid', 'failed']) });
const members = {
  note: z.string().max(3),
  results: z.array(result).min(2).max(1_200),
  ids: z.array(z.string()).optional(),
};
const schemas = {
  'a plain schema': z.object(members),
  'one that checks its lists and itself': z
    .object({
      ...members,
      results: members.results.refine(([first]) => first?.id.length !== 5, 'must not begin with five characters'),
    })
    .refine(({ note, results }) => note !== 'no' || results[1]?.id.length === 1, 'must not say no'),
};

const valid = { id: ' a ', status: 'paid' };
const many = (length: number, change: (nth: number) => object = () => ({})) =>
  Array.from({ length }, (_, nth) => ({ ...valid, ...change(nth) }));

const inputs: [string, unknown][] = [
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
  ['with a refused list and a bad entry', { note: 'no', results: many(3, (nth) => ({ id: nth ? 1 : ' never' })) }],
  ['refused', { note: 'no', results: many(3) }],
  ['with problems everywhere', { note: 'long', results: many(3, () => ({ id: 0, more: 1 })), ids: [1] }],
  ['with more problems than are named', { note: 'long', results: many(1_100, () => ({ id: '', status: 0 })) }],
];

/** What the parser returns or throws. */
async function outcomeOf(parse: () => unknown): Promise<unknown> {
  try {
    return { parsed: await parse() };
  } catch (error) {
    return { error };
  }
}

async function expectSame(schema: z.ZodObject, input: unknown): Promise<void> {
  const expected = await outcomeOf(() => parseInput(schema, input, { unknown: 'refuse' }));
  const actual = await outcomeOf(() => parseLargeInput(schema, input));
  expect(actual).toEqual(expected);
  // toEqual ignores their order
  expect(JSON.stringify(actual)).toBe(JSON.stringify(expected));
}

describe.each(Object.entries(schemas))('an input of %s is checked like any other', (_name, schema) => {
  it.each(inputs)('%s', async (_what, input) => {
    await expectSame(schema, input);
  });
});

it('any input of any schema is checked like any other', async () => {
  const text = fc.constantFrom(...['a', 'abcd', '', ' b', 1, null]);
  const member = fc.constantFrom<z.ZodType>(
    z.string(),
    z.string().trim().min(1).max(3),
    z.string().default('d'),
    z.number().optional(),
    z.string().transform((value) => value.length),
  );
  const names = (...known: string[]) => fc.constantFrom(...known, '__proto__', 'toString');
  const shape = <T>(known: string[], of: fc.Arbitrary<T>) => fc.dictionary(fc.constantFrom(...known), of);
  const entry = shape(['id', 'a'], member).map((each) => z.object(each));
  const list = fc
    .record({ entry, min: fc.boolean(), max: fc.boolean(), refined: fc.boolean(), optional: fc.nat(5) })
    .map(({ entry, min, max, refined, optional }): z.ZodType => {
      let made = z.array(entry);
      if (min) made = made.min(2);
      if (max) made = made.max(3);
      if (refined) made = made.refine(([first]) => Object.keys(first ?? {}).length !== 2, 'must not begin with two');
      return optional === 0 ? made.optional() : made;
    });
  const schema = fc
    .tuple(shape(['x', 'y', 'z'], fc.oneof(list, list, entry, member)), fc.nat(3))
    .map(([members, kind]) => {
      const made = kind === 0 ? z.strictObject(members) : z.object(members);
      return kind === 1 ? made.refine((value) => Object.keys(value).length !== 2, 'must not have two') : made;
    });
  const object = fc.dictionary(names('id', 'a', 'more'), text, { maxKeys: 3 });
  const entries = fc.array(fc.oneof(object, object, object, text), { maxLength: 5 });
  const input = fc.dictionary(names('x', 'y', 'z', 'more'), fc.oneof(entries, entries, object, text));
  await fc.assert(
    fc.asyncProperty(schema, input, (...checked) => expectSame(...checked)),
    { numRuns: rounds(5_000) },
  );
});

it('at most a hundred problems are looked for: no further slice is checked', async () => {
  let checkCount = 0;
  const watched = z.object({ results: z.array(result.refine(() => ++checkCount < 0)) });
  await expect(parseLargeInput(watched, { results: many(1_200) })).rejects.toThrow(
    'results.99: Invalid input; and more',
  );
  expect(checkCount).toBe(500);
});

it('words are found only for as many problems as an error names, and for one more', () => {
  let wordCount = 0;
  const error = () => `is the ${++wordCount}th`;
  const input = { ids: Array.from({ length: 5_000 }, () => '') };
  const named = /^ids\.0: is the 1th; .*; ids\.99: is the 100th; and more$/;
  expect(() => parseInput(z.object({ ids: z.array(z.string().min(1, { error })) }), input)).toThrow(named);
  expect(wordCount).toBe(101);
});

it('no entry is checked of a list that is too long', async () => {
  let checkCount = 0;
  const watched = z.object({ results: z.array(result.refine(() => ++checkCount > 0)).max(1_000) });
  await expect(parseLargeInput(watched, { results: many(1_200) })).rejects.toThrow('results: must have at most 1000');
  expect(checkCount).toBe(0);
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
    [3, 500],
    [4, 500],
    [5, 200],
  ]);
});

it('other requests have their turn between 500 entries that are searched for unknown members, also in too long a list', async () => {
  const short = z.object({ results: z.array(result).max(1_000) });
  const turns = await turnsOf(async () => {
    await expect(parseLargeInput(short, { results: many(10_000) })).rejects.toThrow('results: must have at most 1000');
  });
  expect(turns).toBeGreaterThanOrEqual(19);
});
