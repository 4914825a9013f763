import { describe, expect, it } from 'vitest';
import { afterUnknown } from '../../../src/payouts/transfers/patience.ts';

const FIRST = Date.parse('2026-11-30T12:00:00Z');

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
