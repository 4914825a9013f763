import { describe, expect, it } from 'vitest';
import { type Slice, slicesOf } from '../../src/audit/slices.ts';

describe('slices of a range', () => {
  async function slices(rows: readonly number[], max: number): Promise<{ parts: Slice[]; counted: number }> {
    let counted = 0;
    const count = async ({ from, to }: Slice) => {
      counted += 1;
      return rows.filter((row) => row >= from && row < to).length;
    };
    const known = { from: Math.min(...rows), to: Math.max(...rows) + 1 };
    const parts: Slice[] = [];
    for await (const part of slicesOf({ from: 0, to: 1e8 }, known, max, count)) parts.push(part);
    return { parts, counted };
  }

  it('cover the whole range without gaps, and have at most the given number of rows', async () => {
    const rows = Array.from({ length: 1000 }, (_, place) => 20_000 + Math.floor(place / 3));
    const { parts } = await slices(rows, 50);
    expect(parts[0]?.from).toBe(0);
    expect(parts.at(-1)?.to).toBe(1e8);
    expect(parts.slice(1).map(({ from }) => from)).toEqual(parts.slice(0, -1).map(({ to }) => to));
    const sizes = parts.map(({ from, to }) => rows.filter((row) => row >= from && row < to).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(50);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
  });

  it('do not split rows with the same number, however many, nor search far away for their rows', async () => {
    const { parts, counted } = await slices([5, 5, 5, 5, 6], 2);
    expect(parts).toEqual([
      { from: 0, to: 6 },
      { from: 6, to: 1e8 },
    ]);
    expect(counted).toBe(1);
  });

  it('are a single slice when there are few rows', async () => {
    expect((await slices([5, 70_000], 2)).parts).toEqual([{ from: 0, to: 1e8 }]);
  });
});
