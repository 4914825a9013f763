import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findExcess, LEVELS_MAX, MEMBERS_MAX, VALUES_MAX } from '../../src/schema/large-json.ts';
import { rounds } from '../helpers/rounds.ts';

const excessOf = (value: unknown) => findExcess(Buffer.from(JSON.stringify(value)));
const objectOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, nth]));
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('a large JSON text is refused before it is parsed', () => {
  it('for more values than 2 MiB from a processor hold', () => {
    const zeros = (count: number) => Array(count).fill(0);
    // the list is a value, too
    expect(excessOf(zeros(VALUES_MAX - 1))).toBeNull();
    expect(excessOf(zeros(VALUES_MAX))).toBe('has more than 120000 values');
  });

  it('for an object with more members than any has, wherever it is', () => {
    expect(excessOf([objectOf(MEMBERS_MAX), objectOf(MEMBERS_MAX)])).toBeNull();
    const problem = 'has an object with more than 1000 members';
    expect(excessOf(objectOf(MEMBERS_MAX + 1))).toBe(problem);
    expect(excessOf({ ...objectOf(MEMBERS_MAX - 1), list: [{ a: { b: 1 } }], last: objectOf(2) })).toBe(problem);
    expect(excessOf([{ a: objectOf(MEMBERS_MAX + 1) }])).toBe(problem);
  });

  it('for deep nesting', () => {
    expect(findExcess(Buffer.from(nested(LEVELS_MAX)))).toBeNull();
    expect(findExcess(Buffer.from(nested(LEVELS_MAX + 1)))).toBe('has more than 100 levels of nesting');
  });

  it('but not for what is inside texts', () => {
    const punctuation = `,:[{"\\`.repeat(VALUES_MAX);
    expect(excessOf({ [punctuation]: [punctuation, { note: `${punctuation}"` }] })).toBeNull();
  });

  it('and what is not JSON is left to the parser', () => {
    const texts = ['', '"', '"\\', '"\\"', ']]}}[', ':::', ',', '{"a":1}}}}{"b"', '\0\xff'];
    expect(texts.map((text) => findExcess(Buffer.from(text, 'latin1')))).toEqual(texts.map(() => null));
  });
});

it('counts the values of any JSON, however it is written, at least once and empty ones at most twice', () => {
  const countOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Object.values(value).reduce((sum: number, child) => sum + countOf(child), 0)
      : 1;
  const emptyOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0;
    const children = Object.values(value);
    return children.length === 0 ? 1 : children.reduce((sum: number, child) => sum + emptyOf(child), 0);
  };
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const [count, empty] = [countOf(value), emptyOf(value)];
      // in a list with as many zeros as are left, which is a value itself
      const among = (zeros: number) => `[${JSON.stringify(value, null, space)}${',0'.repeat(zeros)}]`;
      const room = VALUES_MAX - count - empty - 1;
      expect(findExcess(Buffer.from(among(room)))).toBeNull();
      expect(findExcess(Buffer.from(among(room + 1)))).toBe('has more than 120000 values');
    }),
    { numRuns: rounds(50) },
  );
});
