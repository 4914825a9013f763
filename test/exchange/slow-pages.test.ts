import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import { type PagedRow, RowPages } from '../../src/exchange/moved/row-pages.ts';
import { unchanged } from '../../src/exchange/moved/target.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/databases.ts';
import { createTestService } from '../helpers/service.ts';

const FAST = 31;
const SLOW = 32;
const ROW_MS = 50;

describe('a page of rows that take long, such as customers for whom many payments wait', () => {
  let scene: TestDatabase;
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    scene = await createTestDatabase('postgres');
  });
  afterAll(async () => {
    vi.useRealTimers();
    await scene.remove();
  });

  it('is stored in units of work that others wait for no longer than a fifth of a second', async () => {
    const service = createTestService({ database: scene.database });
    const units: number[] = [];
    const counting: Service['database']['write'] = (unit, options) => {
      units.push(0);
      return service.database.write(unit, options);
    };
    const rowOf = (n: number): PagedRow => ({
      marks: [`row ${n}`],
      async apply({ database }) {
        await database.write(async () => {
          if (n >= FAST) vi.advanceTimersByTime(ROW_MS);
        });
        units[units.length - 1] = (units.at(-1) ?? 0) + 1;
        return unchanged;
      },
    });
    async function* rows() {
      for (let n = 0; n < FAST + SLOW; n += 1) yield rowOf(n);
    }
    const observed = { ...service, database: { ...service.database, write: counting } };
    const pages = new RowPages(observed, { isDryRun: false, signal: undefined });
    const stored: PagedRow[] = [];
    for await (const { row } of pages.store(rows())) stored.push(row);
    expect(stored).toHaveLength(FAST + SLOW);
    expect(units).toEqual([1, 2, 4, 8, 16, ...Array(SLOW / 4).fill(4)]);
  });
});
