import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../adapters/contract/exact-json.ts';
import { rounds } from '../helpers/rounds.ts';

const parse = (json: string) => parseExactJson(Buffer.from(json));

/** What the platform says, which passes the source text of a number to a reviver. */
function expected(json: string): unknown {
  const numberAsText = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? context?.source : value;
  try {
    const value = JSON.parse(json, numberAsText);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

describe('a body whose numbers are read as text', () => {
  it.each([
    ['{"id":820982911946154508,"price":25.4870}', { id: '820982911946154508', price: '25.4870' }],
    ['{"a":[-0,-1.50,1e3,1E+03,1e999]}', { a: ['-0', '-1.50', '1e3', '1E+03', '1e999'] }],
    ['{"1":"2","a":"b: 3, [4]","c\\"5":"\\\\"}', { 1: '2', a: 'b: 3, [4]', 'c"5': '\\' }],
    ['{"a":true,"b":null,"c":{"d":0}}', { a: true, b: null, c: { d: '0' } }],
  ])('keeps %s', (json, value) => {
    expect(parse(json)).toEqual(value);
  });

  it.each([
    '',
    '1',
    '[1]',
    '"1"',
    'null',
    '{1:2}',
    '{1 :2}',
    '{12\n: 2}',
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":-}',
    '{"a":--1}',
    '{"a":1-2}',
    '{"a":1 2}',
    '{"a":1e}',
    '{"a":0x10}',
    '{"a":1"b"}',
    '{"a":"b"1}',
    '{"a":"1}',
    '{"a":tr1ue}',
  ])('is refused if it is no JSON object: %s', (json) => {
    expect([parse(json), expected(json)]).toEqual([null, null]);
  });

  it('is read as the platform reads it, also when it is cut off or damaged', () => {
    const number = fc.constantFrom(
      '0',
      '-0',
      '7',
      '10',
      '25.4870',
      '-1e5',
      '1.5E-3',
      '01',
      '1.',
      '-',
      '820982911946154508',
    );
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '1', '-', ':', ',', '{', 'e', 'u', 'ü', '\n') });
    // once V8 knows a name that ends with a backslash, it takes `"\""` for `"\\"` (nodejs/node#63785)
    const withoutBackslash = text.filter((one) => !one.includes('\\'));
    const value = fc.letrec<{ any: string }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        number,
        text.map((one) => JSON.stringify(one)),
        fc.constantFrom('true', 'null', '"\\u0031"', ' 1 '),
        fc.array(tie('any'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
        fc
          .array(fc.tuple(withoutBackslash, tie('any')), { maxLength: 4 })
          .map((members) => `{${members.map(([name, of]) => `${JSON.stringify(name)}: ${of}`).join(' ,')}}`),
      ),
    })).any;
    const body = fc.tuple(value, value).map(([a, b]) => `{"a":${a},"b":${b}}`);
    const damage = fc.option(fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom('', '"', '1', '\\', ':', '-', '{')));
    const property = fc.property(body, damage, (whole, damaged) => {
      const [at, length, put] = damaged ?? [0, 0, ''];
      const place = at % (whole.length + 1);
      const json = whole.slice(0, place) + put + whole.slice(place + length);
      expect(parse(json)).toEqual(expected(json));
    });
    fc.assert(property, { numRuns: rounds(5_000) });
  });
});
