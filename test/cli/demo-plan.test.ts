import { describe, expect, it } from 'vitest';
import { HISTORY_PARTNERS } from '../../src/cli/demo/history/cast.ts';
import { type Happening, planHistory } from '../../src/cli/demo/history/plan.ts';

const DAY_MS = 86_400_000;
const SUNDAY = Date.parse('2026-11-22T09:30:00Z');
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

describe('the plan of the year behind the demo', () => {
  it.each(WEEKDAYS.map((name, day) => ({ name, now: SUNDAY + day * DAY_MS })))(
    'has items that need attention, also when the demo starts on a $name',
    ({ now }) => {
      const { happenings } = planHistory(HISTORY_PARTNERS, now);
      const count = (matches: (one: Happening) => boolean) => happenings.filter(matches).length;
      const lost = new Set(happenings.filter(({ kind }) => kind === 'dispute lost').map(({ customer }) => customer));
      const open = count(({ kind, customer }) => kind === 'dispute' && !lost.has(customer));
      expect(open).toBeGreaterThan(0);
      expect(open).toBeLessThan(20);
      expect(count(({ kind }) => kind === 'refund in another currency')).toBe(1);
      expect(count(({ kind, customer }) => kind === 'lead' && customer.email === customer.partner.email)).toBe(2);
    },
  );
});
