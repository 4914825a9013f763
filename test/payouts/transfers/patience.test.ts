import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterUnknown, decideOrder } from '../../../src/payouts/transfers/patience.ts';

const FIRST = Date.parse('2026-11-30T12:00:00Z');
const HOUR_MS = 3_600_000;

describe('the pause after an attempt that nobody knows the result of', () => {
  it.each([0, 1, 8_001, 8_002, 8_003, 60_001, 2_399_999, 2_400_001, 3_600_003])(
    'ends at a whole millisecond, %i ms after the first order',
    (passed) => {
      const now = FIRST + passed;
      const waiting = { status: 'sending', createdAt: FIRST - 1_000, firstAttemptAt: FIRST } as const;
      const next = afterUnknown(waiting, { outcome: 'unknown', reason: 'No answer' }, now);
      const dueAt = 'dueAt' in next ? next.dueAt : null;
      expect(dueAt).toSatisfy(Number.isSafeInteger);
      expect(dueAt).toBeGreaterThanOrEqual(now + 2_000);
      expect(dueAt).toBeLessThanOrEqual(now + 600_000);
    },
  );
});

describe('whether an order may be repeated', () => {
  const hours = fc.double({ min: -60, max: 60, noNaN: true }).map((count) => count * HOUR_MS);
  const told = fc.option(fc.oneof(hours, fc.integer({ min: -FIRST, max: FIRST })));
  const first = fc.record({ ours: hours, rail: told });
  const now = fc.record({ ours: hours, rail: told });
  const at = (offset: number | null) => (offset === null ? null : FIRST + offset);
  const decide = (one: { ours: number; rail: number | null }, other: { ours: number; rail: number | null }) =>
    decideOrder(
      { status: 'sending', firstAttemptAt: FIRST + one.ours, firstAttemptRailAt: at(one.rail) },
      { ours: FIRST + other.ours, rail: at(other.rail) },
    );

  it('never is because of what the provider tells, or fails to tell, against the clock of this server', () => {
    fc.assert(
      fc.property(first, now, (one, other) => {
        const byOurs = decide({ ...one, rail: null }, { ...other, rail: null });
        if (decide(one, other) === 'order') expect(byOurs).toBe('order');
      }),
    );
  });

  it('never is a day after the first order, whatever the clock of this server says, if the provider tells its time', () => {
    fc.assert(
      fc.property(hours, hours, fc.double({ min: 23, max: 1_000, noNaN: true }), (ours, later, passedHours) => {
        expect(decide({ ours, rail: 0 }, { ours: later, rail: passedHours * HOUR_MS })).not.toBe('order');
      }),
    );
  });

  it('is decided by the clock of this server if the provider tells no time', () => {
    const without = (ours: number) => decide({ ours: 0, rail: null }, { ours, rail: null });
    expect([-2, -0.5, 0, 22.9, 23.1, 40].map((hour) => without(hour * HOUR_MS))).toEqual([
      'never',
      'order',
      'order',
      'order',
      'never',
      'never',
    ]);
  });

  it('waits until the clocks agree, also when only one of the moments shows that they do not', () => {
    const wrong = { ours: 0, rail: 10 * HOUR_MS };
    const untold = { ours: HOUR_MS, rail: null };
    expect(decide(wrong, untold)).toBe('later');
    expect(decide(untold, wrong)).toBe('later');
    expect(decide({ ours: 0, rail: 0 }, { ours: 2 * HOUR_MS, rail: 30 * HOUR_MS })).toBe('later');
    expect(decide({ ours: 0, rail: 0 }, { ours: 30 * HOUR_MS, rail: 2 * HOUR_MS })).toBe('later');
    // by the same hours at both
    expect(decide(wrong, { ours: HOUR_MS, rail: 11 * HOUR_MS })).toBe('order');
  });

  it('waits for no agreement of less than five minutes', () => {
    expect(decide({ ours: 0, rail: null }, { ours: HOUR_MS, rail: HOUR_MS + 299_000 })).toBe('order');
  });

  it('waits for the provider to tell its time, if it did when it was first ordered', () => {
    const untold = (ours: number) => decide({ ours: 0, rail: 0 }, { ours, rail: null });
    expect([0, 1, 24, 46].map((hour) => untold(hour * HOUR_MS))).toEqual(['later', 'later', 'later', 'later']);
  });
});
