import { expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { systemClock } from '../src/clock.ts';
import type { AccountId, PartnerId, SaleId } from '../src/core/ids.ts';
import { createId, setIdClock } from '../src/ids.ts';

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

it('ids keep their order when the clock is set back by seconds, and follow it when it was wrong by more', () => {
  let now = 1_800_000_000_000;
  setIdClock(() => now);
  onTestFinished(() => setIdClock(systemClock));
  const timeAfter = (stepMs: number) => {
    now += stepMs;
    return Number.parseInt(createId('sal').slice(4, 16), 16) - now;
  };
  expect([0, -5_000, 400 * 86_400_000, -399 * 86_400_000].map(timeAfter)).toEqual([0, 5_000, 0, 0]);
});

it('an id is text, but neither any text nor the id of another kind', () => {
  expectTypeOf(createId('sal')).toEqualTypeOf<SaleId>();
  expectTypeOf<SaleId>().toExtend<string>();
  expectTypeOf<string>().not.toExtend<AccountId>();
  expectTypeOf<PartnerId>().not.toExtend<AccountId>();
});
