import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf, memberOf, startOfMember, withMember } from '../../adapters/shopify/json-slices.ts';

const value = fc.jsonValue({ maxDepth: 3 });
const name = fc.oneof(fc.string(), fc.constantFrom('a', 'b', '"', '\\', '__proto__'));
const members = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 5 });
const space = fc.constantFrom(undefined, 2, '\t');

/** Written by hand, because `JSON.stringify` sorts numeric names, and an object has no own `__proto__`. */
function objectOf(entries: [string, unknown][], indent: number | string | undefined): string {
  const gap = indent === undefined ? '' : '\n ';
  const texts = entries.map(
    ([key, each]) => `${gap}${JSON.stringify(key)}${gap}:${gap}${JSON.stringify(each, null, indent)}${gap}`,
  );
  return `{${texts.join(',')}${gap}}`;
}

describe('slices of a JSON text', () => {
  it('are the elements of a list', () => {
    fc.assert(
      fc.property(fc.array(value), space, fc.string(), (list, indent, before) => {
        const text = JSON.stringify(list, null, indent);
        const elements = elementsOf(`${JSON.stringify(before)}${text}, 1]`, JSON.stringify(before).length);
        expect(elements.map((each) => JSON.parse(each))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('are the members of an object', () => {
    fc.assert(
      fc.property(members, space, (entries, indent) => {
        const text = objectOf(entries, indent);
        for (const [key, each] of entries) {
          expect(JSON.parse(memberOf(text, key) ?? '')).toEqual(JSON.parse(JSON.stringify(each)));
          expect(text.slice(startOfMember(text, key)).startsWith(memberOf(text, key) ?? '')).toBe(true);
        }
        expect(memberOf(text, 'a name that none has')).toBeUndefined();
      }),
    );
  });

  it('are replaced one at a time', () => {
    fc.assert(
      fc.property(members, space, value, fc.nat(), (entries, indent, other, at) => {
        const text = objectOf(entries, indent);
        const key = entries[at % Math.max(entries.length, 1)]?.[0] ?? 'none';
        const changed = entries.map(([each, old]): [string, unknown] => [each, each === key ? other : old]);
        expect(JSON.parse(withMember(text, key, JSON.stringify(other)))).toEqual(JSON.parse(objectOf(changed, indent)));
      }),
    );
  });

  it('keep every number as it was written', () => {
    const text = '{"list":[820982911946154508, 0.0,-1E+2 ,{"price":25.4870}],"last":12345678901234567890}';
    const elements = elementsOf(memberOf(text, 'list') ?? '');
    expect(elements).toEqual(['820982911946154508', '0.0', '-1E+2', '{"price":25.4870}']);
    expect(memberOf(text, 'last')).toBe('12345678901234567890');
    expect(withMember(text, 'last', 'null')).toBe(text.replace('12345678901234567890', 'null'));
  });

  it('end with a text that is not JSON', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'{}[]",:\\1a ') })), (text) => {
        elementsOf(text);
        memberOf(text, 'a');
        withMember(text, 'a', '1');
      }),
    );
  });

  it('are found in a text of megabytes', () => {
    const long = 'x"\\'.repeat(1_000_000);
    const text = JSON.stringify({ long, list: [long, 1] });
    expect(elementsOf(memberOf(text, 'list') ?? '')).toEqual([JSON.stringify(long), '1']);
  });
});
