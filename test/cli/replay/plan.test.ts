import { describe, expect, it } from 'vitest';
import { planDeliveries } from '../../../src/cli/replay/plan.ts';

const payloads = ['a.json', 'b.json', 'c.json'].map((file) => ({ file, eventType: undefined, rawBody: Buffer.of() }));

function order(repeat: number, seed: number | null): string {
  return planDeliveries(payloads, repeat, seed)
    .map(({ round, payload }) => `${payload.file[0]}${round}`)
    .join(' ');
}

describe('the plan of a replay', () => {
  it('sends every payload once per round, in file order, and numbers them', () => {
    expect(order(2, null)).toBe('a1 b1 c1 a2 b2 c2');
    expect(planDeliveries(payloads, 2, null).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('has the same order for the same seed, a different one for another seed, and is always complete', () => {
    expect(order(4, 7)).toBe(order(4, 7));
    expect(order(4, 7)).not.toBe(order(4, 8));
    expect(order(4, 7).split(' ').sort()).toEqual(order(4, null).split(' ').sort());
    expect(planDeliveries(payloads, 4, 7).map(({ n }) => n)).toEqual(
      planDeliveries(payloads, 4, null).map(({ n }) => n),
    );
  });
});
