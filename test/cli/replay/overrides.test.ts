import { describe, expect, it } from 'vitest';
import { applyOverrides, type Override, parseOverride } from '../../../src/cli/replay/overrides.ts';
import { CommandError } from '../../../src/cli/terminal/exit-codes.ts';

const PLACE = { n: 3, round: 2, run: 'a1b2' };

function overridden(payload: string, ...texts: string[]): string {
  const overrides = texts.map(parseOverride).filter((override): override is Override => override !== null);
  expect(overrides).toHaveLength(texts.length);
  return applyOverrides(Buffer.from(payload), overrides, PLACE, 'payload.json').toString('utf8');
}

describe('an override of a payload', () => {
  it('keeps the bytes when nothing is overridden', () => {
    const rawBody = Buffer.from('{ "amount":  1.50 }\n');
    expect(applyOverrides(rawBody, [], PLACE, 'payload.json')).toBe(rawBody);
  });

  it('keeps every other number as written, beyond the precision of a double', () => {
    expect(overridden('{"id":820982911946154508,"price":25.4870,"n":1}', 'n=2')).toBe(
      '{"id":820982911946154508,"price":25.4870,"n":2}',
    );
    expect(overridden('{"id":1}', 'id=820982911946154509')).toBe('{"id":820982911946154509}');
  });

  it.each([
    ['amount=500', '{"amount":500}'],
    ['amount=null', '{"amount":null}'],
    ['amount={"a":[1]}', '{"amount":{"a":[1]}}'],
    ['amount="500"', '{"amount":"500"}'],
    ['amount=cus_1', '{"amount":"cus_1"}'],
    ['amount=a=b', '{"amount":"a=b"}'],
    ['amount=', '{"amount":""}'],
    ['amount=evt_{run}_{round}_{n}', '{"amount":"evt_a1b2_2_3"}'],
    ['amount={n}', '{"amount":3}'],
  ])('reads %s as JSON, otherwise as text, and fills its placeholders', (text, expected) => {
    expect(overridden('{"amount":1}', text)).toBe(expected);
  });

  it('descends into objects and lists, appends a last member, and creates a missing one', () => {
    expect(overridden('{"a":{"b":[{"c":1}]}}', 'a.b.0.c=2', 'a.d=3')).toBe('{"a":{"b":[{"c":2}],"d":3}}');
    expect(overridden('{"custom_data":null}', 'custom_data.svc_id=clk_1')).toBe('{"custom_data":{"svc_id":"clk_1"}}');
  });

  it.each(['b.c=1', 'a.b.c=1', 'n.x=1', '__proto__.x=1'])('refuses %s, which matches nothing', (text) => {
    expect(() => overridden('{"a":{},"n":1}', text)).toThrow(CommandError);
  });

  it('refuses a payload that is not a JSON object', () => {
    expect(() => overridden('not json', 'a=1')).toThrow('is not a JSON object');
  });

  it('is a path and a value, or nothing', () => {
    expect(parseOverride('amount')).toBeNull();
    expect(parseOverride('=1')).toBeNull();
    expect(parseOverride('a.b=1')).toEqual({ path: ['a', 'b'], value: '1' });
  });
});
