import { expect, it } from 'vitest';
import { lastDueAt, nextDueAt } from '../../src/core/payout-schedule.ts';

it.each([
  ['daily', '2026-11-21T02:21:11.005Z', '2026-11-21T00:00:00.000Z'],
  ['daily', '2026-11-21T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
  ['weekly', '2026-11-21T02:21:11.005Z', '2026-11-16T00:00:00.000Z'],
  ['weekly', '2026-11-16T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
  ['weekly', '2026-11-15T23:59:59.999Z', '2026-11-09T00:00:00.000Z'],
  ['monthly', '2026-11-21T02:21:11.005Z', '2026-11-01T00:00:00.000Z'],
  ['monthly', '2028-02-29T23:59:59.999Z', '2028-02-01T00:00:00.000Z'],
] as const)('%s at %s was last due at %s', (schedule, now, due) => {
  expect(new Date(lastDueAt(schedule, Date.parse(now))).toISOString()).toBe(due);
});

it.each([
  ['daily', '2026-12-31', '2027-01-01'],
  ['weekly', '2026-12-28', '2027-01-04'],
  ['monthly', '2026-01-01', '2026-02-01'],
  ['monthly', '2026-02-01', '2026-03-01'],
  ['monthly', '2026-12-01', '2027-01-01'],
] as const)('%s after %s is next due at %s', (schedule, due, next) => {
  expect(new Date(nextDueAt(schedule, Date.parse(due))).toISOString().slice(0, 10)).toBe(next);
});
