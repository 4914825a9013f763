import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHARACTERS_PER_PART, hasLongText, jsonInTurns, jsonObject, longTextReply } from '../../src/app/json-object.ts';
import { rounds } from '../helpers/rounds.ts';
import { turnsOf } from '../helpers/turns-of.ts';

it('an object in parts is the same JSON, wherever its texts are cut', () => {
  const unit = fc.constantFrom('a', '"', '\\', '\n', '\0', 'é', '\u2028', '\ud83d', '\ude00', '😀');
  const text = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''));
  const value = fc.oneof(text, fc.constantFrom(undefined, null, -0, true), fc.jsonValue());
  const name = fc.oneof(text, fc.constantFrom('__proto__', 'toJSON', '1', ''));
  fc.assert(
    fc.property(fc.dictionary(name, value), fc.integer({ min: 1, max: 5 }), (object, partLength) => {
      expect([...jsonObject(object, partLength)].join('')).toBe(JSON.stringify(object));
    }),
    { numRuns: rounds(5_000) },
  );
});

it('no part of a long text is much longer than the others, and others have their turn after each', async () => {
  const object = { id: 'dlv_1', body: '"'.repeat(5 * CHARACTERS_PER_PART), reason: null };
  expect(hasLongText(object)).toBe(true);
  expect(hasLongText({ ...object, body: '"'.repeat(CHARACTERS_PER_PART) })).toBe(false);
  let turnCount = 0;
  let isOver = false;
  const countTurns = () => {
    turnCount += 1;
    if (!isOver) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const parts: string[] = [];
  for await (const part of longTextReply(object).content as AsyncIterable<string>) parts.push(part);
  isOver = true;
  expect(parts.join('')).toBe(`${JSON.stringify(object)}\n`);
  expect(Math.max(...parts.map(({ length }) => length))).toBe(2 * CHARACTERS_PER_PART);
  expect(turnCount).toBeGreaterThanOrEqual(5);
});

it('any parsed JSON in turns is the same JSON, however deep', async () => {
  const property = fc.asyncProperty(fc.json({ maxDepth: 8 }), async (json) => {
    const value = JSON.parse(json);
    expect(await jsonInTurns(value)).toBe(JSON.stringify(value));
  });
  await fc.assert(property, { numRuns: rounds(2_000) });
  const deep = JSON.parse(`${'[{"__proto__":'.repeat(150)}[]${'}]'.repeat(150)}`);
  expect(await jsonInTurns(deep)).toBe(JSON.stringify(deep));
});

it('other requests have their turn while a large value is written', async () => {
  const object = Object.fromEntries(Array.from({ length: 500 }, (_, key) => [`name ${key}`, 'x'.repeat(100)]));
  const value = { list: Array.from({ length: 20 }, () => object) };
  let json = '';
  const turns = await turnsOf(async () => {
    json = await jsonInTurns(value);
  });
  expect(turns).toBeGreaterThanOrEqual(Math.floor(json.length / CHARACTERS_PER_PART / 2));
});
