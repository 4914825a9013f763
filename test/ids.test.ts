import { expect, expectTypeOf, it } from 'vitest';
import type { AccountId, PartnerId, SaleId } from '../src/core/ids.ts';
import { createId } from '../src/ids.ts';

it('ids sort in the order of creation, even within a millisecond, and are UUIDs of version 7', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, () => createId('ent'));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^ent_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  const madeAt = Number.parseInt(ids[0]?.slice(4, 16) ?? '', 16);
  expect(madeAt).toBeGreaterThanOrEqual(before - 1);
  expect(madeAt).toBeLessThanOrEqual(Date.now());
});

it('an id is text, but neither any text nor the id of another kind', () => {
  expectTypeOf(createId('sal')).toEqualTypeOf<SaleId>();
  expectTypeOf<SaleId>().toExtend<string>();
  expectTypeOf<string>().not.toExtend<AccountId>();
  expectTypeOf<PartnerId>().not.toExtend<AccountId>();
});
