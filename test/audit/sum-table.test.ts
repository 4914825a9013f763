import { expect, it } from 'vitest';
import { SumTable } from '../../src/audit/sum-table.ts';

const DAYS = [
  { day: 0, dueDay: 0 },
  { day: 20_000, dueDay: 20_030 },
  { day: 20_000, dueDay: 20_031 },
  { day: 20_001, dueDay: 20_031 },
  // the due day of an undecided entry
  { day: 20_000, dueDay: 100_000_000 },
  { day: 32_767, dueDay: 32_767 + 65_535 },
  { day: 32_767, dueDay: 32_767 + 65_536 },
  { day: 32_768, dueDay: 32_768 },
  { day: 20_001, dueDay: 20_000 },
];

it.each(DAYS)('distinguishes the sums of $day, due on $dueDay, from all others', (days) => {
  const table = new SumTable(2);
  for (const other of DAYS) table.add({ owner: 'a', part: '', currency: 'usd', ...other }, 5, 7);
  for (const other of DAYS) {
    if (other !== days) table.add({ owner: 'a', part: '', currency: 'usd', ...other }, -5, -7);
  }
  const found = [...table.differences()].map(({ owner, day, sums }) => ({ owner, day, sums: [...sums] }));
  expect(found).toEqual([{ owner: 'a', day: days.day, sums: [5, 7] }]);
});

it('keeps owners, parts, currencies and columns apart, for any numbers', () => {
  const table = new SumTable(3);
  const day = { day: 20_000, dueDay: 20_000 };
  for (let number = 0; number < 2_000; number += 1) {
    table.add({ owner: `o${number % 20}`, part: `p${number}`, currency: '', ...day }, 1);
    table.add({ owner: `o${number % 20}`, part: `p${number}`, currency: '', ...day }, -1);
  }
  table.add({ owner: 'o1', part: 'p1', currency: 'usd', ...day }, 0, 3);
  table.add({ owner: 'o1', part: 'p1', currency: 'eur', ...day }, 0, -3);
  table.add({ owner: 'o2', part: 'p1', currency: 'eur', ...day }, 0, 0, 4);
  expect([...table.differences()].map(({ owner, sums }) => [owner, ...sums])).toEqual([
    ['o1', 0, 3, 0],
    ['o1', 0, -3, 0],
    ['o2', 0, 0, 4],
  ]);
});
