import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHARACTERS_PER_TURN, parseJsonInTurns } from '../../src/schema/json-in-turns.ts';
import { rounds } from '../helpers/rounds.ts';
import { turnsOf } from '../helpers/turns-of.ts';

/** What a parser returns or throws, with the order of members. */
async function outcomeOf(parse: () => unknown): Promise<unknown> {
  try {
    const parsed = await parse();
    return { parsed, text: JSON.stringify(parsed) };
  } catch (error) {
    return { error: String(error) };
  }
}

async function expectSame(text: string, turnLength: number): Promise<void> {
  const expected = await outcomeOf(() => JSON.parse(text));
  expect(await outcomeOf(() => parseJsonInTurns(text, turnLength))).toEqual(expected);
}

const text = fc.constantFrom('a', '1', '"', '\\', 'a\\"', '{', '[', ',', 'é😀');
/** A name that ends with a backslash: once V8 knows one, it takes `"\""` for `"\\"` (nodejs/node#63785). */
const NAME_ENDS_IN_BACKSLASH = /(?<!\\)(?:\\\\)+"\s*:/;
const name = fc.constantFrom('a', 'b', '1', '', '__proto__', '"', '\\x', 'a"', '{', '[', ',', 'é😀');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(text, fc.integer(), fc.constantFrom(null, true, -0, 1e300)),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(name, tie('value'), { maxKeys: 6 }),
  ),
}));
const turnLength = fc.integer({ min: 0, max: 40 });

it('any JSON is parsed as at once, however long its parts are', async () => {
  const space = fc.constantFrom<string | number | undefined>(undefined, 1, '\t', '\r\n');
  const property = fc.asyncProperty(value, space, turnLength, (json, indent, length) =>
    expectSame(`${indent ? ' \n' : ''}${JSON.stringify(json, null, indent)}`, length),
  );
  await fc.assert(property, { numRuns: rounds(3_000) });
});

it('anything else is refused in the same words', async () => {
  const piece = fc.constantFrom(
    ...'[]{},:"\\ 01-a\n',
    '"a"',
    '"a":',
    '[1,2,3]',
    '{"a":{"b":[]}}',
    'null',
    '\u00a0',
    '😀',
  );
  const broken = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
  await fc.assert(fc.asyncProperty(broken, turnLength, expectSame), { numRuns: rounds(5_000) });
  const spoiled = fc.asyncProperty(value, fc.nat(), piece, turnLength, (json, place, inserted, length) => {
    const text = JSON.stringify(json);
    const at = place % (text.length + 1);
    const changed = text.slice(0, at) + inserted + text.slice(at + (place % 2));
    fc.pre(!NAME_ENDS_IN_BACKSLASH.test(changed));
    return expectSame(changed, length);
  });
  await fc.assert(spoiled, { numRuns: rounds(5_000) });
});

it('a member that is named twice has its first place and its last value', async () => {
  await expectSame('{"a":1,"b":[1,2,3],"a":[4,5,6],"b":7,"__proto__":[8,9],"__proto__":[10,11]}', 4);
});

it('other requests have their turn after each part', async () => {
  const object = (nth: number) =>
    Object.fromEntries(Array.from({ length: 500 }, (_, key) => [`name ${nth}.${key}`, key]));
  const text = JSON.stringify({ body: { list: Array.from({ length: 100 }, (_, nth) => object(nth)) } });
  let parsed: unknown;
  const turns = await turnsOf(async () => {
    parsed = await parseJsonInTurns(text);
  });
  expect(JSON.stringify(parsed)).toBe(text);
  expect(turns).toBeGreaterThanOrEqual(text.length / CHARACTERS_PER_TURN / 2);
});
