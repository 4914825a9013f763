import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { setIdClock } from '../../src/ids.ts';
import { type AppOfMany, createAppOfMany } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { rounds } from '../helpers/rounds.ts';
import { Cast } from './shown/cast.ts';
import { checkCounters, startCounting } from './shown/counters.ts';
import { checkCustomers } from './shown/customers.ts';
import { checkFilters } from './shown/filters.ts';
import { checkPortal, checkSales } from './shown/lists.ts';
import { checkOverview, checkPayouts } from './shown/money.ts';
import { dayOf, type Ends } from './shown/read.ts';
import { checkEarnings, checkLinks, checkStatistics } from './shown/results.ts';
import { readRows } from './shown/rows.ts';
import { type PeriodEnd, shownHistories } from './shown/steps.ts';
import { tell } from './shown/tell.ts';

const HOUR_MS = 3_600_000;
const RUNS = { sqlite: rounds(40), postgres: rounds(15) };
/** Before the change to summer time in Europe and the end of a month, and long enough ago for all that follows. */
const BEGIN = Date.UTC(2026, 2, 27, 21, 30);

/** What the lists contained, over the histories of both engines. */
const seen = { sales: 0, leads: 0, reversals: 0, startedPayouts: 0 };

describe.each(engines)('what several places show, on %s', (engine) => {
  let many: AppOfMany;
  const clock = { now: BEGIN };
  beforeAll(async () => {
    // lists of a period find rows by the time in their ids
    setIdClock(() => clock.now);
    many = await createAppOfMany(engine, { service: { clock: () => clock.now } });
  });
  afterAll(async () => {
    setIdClock(systemClock);
    await many.close();
  });

  it(`is the sum of the listed rows, after ${RUNS[engine]} histories`, { timeout: 900_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(shownHistories, async ({ steps, periods, picks }) => {
        clock.now = BEGIN;
        const cast = new Cast(await many.addApp(), clock);
        const counting = await startCounting(cast);
        await cast.begin();
        const times = [clock.now];
        for (const step of steps) {
          await tell(cast, step);
          times.push(clock.now);
        }
        // longer than a measurement is reused
        clock.now += HOUR_MS;
        const rows = await readRows(cast);
        await checkCounters(counting, rows);
        seen.sales += rows.sales.length;
        seen.leads += rows.leads.length;
        seen.reversals += rows.entries.filter(({ kind }) => kind === 'reversal').length;
        seen.startedPayouts += rows.payouts.filter(({ status }) => status !== 'queued').length;
        await checkSales(cast, rows);
        await checkCustomers(cast, rows);
        await checkStatistics(cast, rows);
        await checkOverview(cast, rows);
        await checkPayouts(cast, rows);
        await checkPortal(cast, rows);
        for (const ends of [[null, null], ...periods] as const) {
          const period = periodOf(ends, times);
          await checkLinks(cast, rows, period);
          await checkEarnings(cast, rows, period);
          await checkFilters(cast, rows, period, picks);
        }
        await requireAgreement(cast.app.service, cast.app.accountId);
      }),
      // a shorter history would take hundreds of runs to find
      { numRuns: RUNS[engine], endOnFailure: true },
    );
  });
});

it('the histories contain what is shown', () => {
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
});

function periodOf([one, other]: readonly [PeriodEnd, PeriodEnd], times: readonly number[]): Ends {
  const timeOf = (end: PeriodEnd) => {
    if (end === null) return null;
    const time = (times[end.step % times.length] ?? BEGIN) + end.offsetMs;
    return end.isDay ? dayOf(time) : time;
  };
  const [a, b] = [timeOf(one), timeOf(other)];
  if (a === null || b === null) return [a, b];
  return a === b ? [a, a + 1] : [Math.min(a, b), Math.max(a, b)];
}
