import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commissionField } from '../../src/programs/terms-fields.ts';
import { optional, text, withDefault } from '../../src/schema/fields.ts';
import { applyPatch, mergePatch } from '../../src/schema/merge-patch.ts';

describe('a merge patch', () => {
  // the cases of RFC 7396, appendix A, and a few more
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ portal: { theme: { title: 'x' } } }, {}, { portal: { theme: { title: 'x' } } }],
  ])('of %j with %j is %j', (target, patch, result) => {
    const before = JSON.stringify(target);
    expect(mergePatch(target, patch)).toEqual(result);
    expect(JSON.stringify(target)).toBe(before);
  });

  it('cannot change a prototype', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__": {"isAdmin": true}}')) as Record<string, unknown>;
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(merged.isAdmin).toBeUndefined();
    expect({}).not.toHaveProperty('isAdmin');
  });

  it('survives thousands of levels', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`);
    expect(mergePatch({ b: 1 }, deep)).toHaveProperty('b', 1);
  });
});

describe('a patched resource', () => {
  const schema = z.object({
    name: text(),
    holdDays: withDefault(z.number(), 30),
    commission: optional(commissionField),
  });
  const PERCENTAGE = { type: 'percentage', rateBasisPoints: 2000 };
  const FLAT = { type: 'flat', amounts: { usd: 500 } };
  const current = { id: 'prg_1', name: 'Before', holdDays: 7, commission: PERCENTAGE, createdAt: 1 };

  it('keeps members that the patch does not name, and drops those that are not input', () => {
    expect(applyPatch(schema, current, { name: 'After' })).toEqual({
      name: 'After',
      holdDays: 7,
      commission: PERCENTAGE,
    });
  });

  it('gets the default of a removed member', () => {
    expect(applyPatch(schema, current, { holdDays: null, commission: null })).toEqual({
      name: 'Before',
      holdDays: 30,
      commission: null,
    });
  });

  it('can become another alternative, whether or not the patch removes the members of the old one', () => {
    for (const commission of [FLAT, { ...FLAT, rateBasisPoints: null }]) {
      expect(applyPatch(schema, current, { commission }).commission).toEqual(FLAT);
    }
    const flat = { ...current, commission: FLAT };
    expect(applyPatch(schema, flat, { commission: { amounts: { eur: 450 } } }).commission).toEqual({
      type: 'flat',
      amounts: { usd: 500, eur: 450 },
    });
  });

  it('refuses a member of the patch that the new alternative does not have', () => {
    expect(() => applyPatch(schema, current, { commission: { amounts: { usd: 500 } } })).toThrow(
      'commission.amounts: is not known; known are type, rateBasisPoints',
    );
    expect(() => applyPatch(schema, current, { commission: { ...FLAT, rateBasisPoints: 100 } })).toThrow(
      'commission.rateBasisPoints: is not known; known are type, amounts',
    );
  });

  it('reports every problem at once', () => {
    expect(() => applyPatch(schema, current, { name: null, holdDays: '7' })).toThrow(
      'name: is required; holdDays: must be a number',
    );
  });
});
