import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import type { Actor } from '../../src/core/actor.ts';
import { isUnderWay, type PayoutEnd } from '../../src/core/payout.ts';
import { ServiceError } from '../../src/errors.ts';
import { getEarnings } from '../../src/ledger/earnings.ts';
import { earningsQuery } from '../../src/ledger/schemas.ts';
import { runPayouts } from '../../src/payouts/run.ts';
import { finishSettling } from '../../src/payouts/settle.ts';
import { settlePayout } from '../../src/payouts/states.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { FromScratch } from '../helpers/from-scratch.ts';
import { hold } from '../helpers/held-payouts.ts';
import { PARTNERS, type Step, step } from '../helpers/histories.ts';
import { HISTORY_BEGIN } from '../helpers/money-model.ts';
import { rounds } from '../helpers/rounds.ts';
import { beginHistory, type MoneyStep, type Told, tellStep } from '../helpers/tell-history.ts';

// so that two entries already need two slices
vi.mock('../../src/payouts/slice.ts', () => ({ SLICE_ENTRIES: 1 }));

const RUNS = { sqlite: rounds(100), postgres: rounds(20) };
const ACTOR: Actor = { kind: 'command_line' };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `units`: how many units of work run before the process is killed. */
type Happening =
  | { do: 'money'; step: MoneyStep }
  | { do: 'hours'; hours: number }
  | { do: 'run'; atHours: number | null; units: number; twice: boolean }
  | { do: 'settle'; units: number }
  | { do: 'hold'; payout: number }
  | { do: 'end'; payout: number; end: PayoutEnd };

const isMoney = (candidate: Step): candidate is MoneyStep => !['pass', 'run', 'hold', 'end'].includes(candidate.do);
const units = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.nat(4));

const adjusted = fc
  .record({ partner: fc.nat(PARTNERS - 1), amountMinor: fc.constantFrom(1, 900, 5000, -700, -6000) })
  .map(({ partner, amountMinor }): Happening => {
    return { do: 'money', step: { do: 'adjustment', partner, currency: 'usd', amountMinor } };
  });

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('money' as const), step: step.filter(isMoney) }),
  },
  // what is due at once, and what uses up what was collected
  { weight: 4, arbitrary: adjusted },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('hours' as const), hours: fc.integer({ min: 1, max: 400 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('run' as const),
      atHours: fc.option(fc.integer({ min: -300, max: 2000 })),
      units,
      twice: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const), units }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold' as const), payout: fc.nat(3) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      payout: fc.nat(3),
      end: fc.constantFrom<PayoutEnd>('paid', 'failed', 'canceled'),
    }),
  },
);

const account = fc.record({
  minimumPayout: fc.constantFrom<Record<string, number>>({}, { usd: 1000, jpy: 2 }),
  selfReferral: fc.constantFrom('off' as const, 'flag' as const),
  happenings: fc.array(happening, { minLength: 15, maxLength: 35, size: 'max' }),
  // a hold that ends, or a period that begins or ends, within the day
  periods: fc.array(
    fc.record({ fromHours: fc.integer({ min: -48, max: 2000 }), hours: fc.integer({ min: 1, max: 900 }) }),
    {
      minLength: 1,
      maxLength: 1,
    },
  ),
});

const due = (...amounts: number[]) =>
  amounts.map((amountMinor): Happening => {
    return { do: 'money', step: { do: 'adjustment', partner: 0, currency: 'usd', amountMinor } };
  });
const runOf = (unitsMax: number): Happening => ({ do: 'run', atHours: null, units: unitsMax, twice: false });
const untilKilled = [1, 2, 3].map(runOf);
const bought = {
  sale: 0,
  partner: 0,
  netMinor: 5000,
  taxMinor: 0,
  bySelf: true,
  isBare: false,
  isLined: false,
} as const;

/**
 * Contains what random histories contain only sometimes: a run that is killed while it collects, and one killed while
 * it releases.
 */
const EVENTFUL = {
  minimumPayout: {},
  selfReferral: 'flag' as const,
  happenings: [
    { do: 'money', step: { do: 'sale', ...bought } } as const,
    ...[...due(5000, 900, 900), ...untilKilled, ...due(-6000, -6000), ...untilKilled],
    ...[runOf(Number.POSITIVE_INFINITY), ...due(5000, 5000, 5000), runOf(Number.POSITIVE_INFINITY)],
    ...[{ do: 'hold', payout: 0 } as const, { do: 'end', payout: 0, end: 'paid' } as const],
  ],
  periods: [{ fromHours: 0, hours: 900 }],
};

/** A payout is paid ahead and canceled; on the day on which some of it would have been due, it is not given back yet. */
const CANCELED_BEFORE_DUE = {
  minimumPayout: {},
  selfReferral: 'off' as const,
  happenings: [
    ...due(900),
    { do: 'money', step: { do: 'sale', ...bought } } as const,
    { do: 'run', atHours: 30 * 24, units: Number.POSITIVE_INFINITY, twice: false } as const,
    { do: 'hours', hours: 29 * 24 + 13 } as const,
    { do: 'end', payout: 0, end: 'canceled' } as const,
  ],
  periods: [{ fromHours: 0, hours: 900 }],
};

describe.each(engines)('running sums on %s', (engine) => {
  let app: TestApp;
  let now = HISTORY_BEGIN;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  it(`${RUNS[engine]} histories, with runs that are killed: each sum matches the entries after every step`, async () => {
    const met = { interrupted: 0, collecting: 0, settling: 0, held: 0, paid: 0, flagged: 0 };
    await fc.assert(
      fc.asyncProperty(account, async ({ happenings, periods, ...history }) => {
        now = HISTORY_BEGIN;
        const told = await beginHistory(app.service, history);
        for (const happens of happenings) {
          met.interrupted += Number(await isInterrupted(told, happens));
          const scratch = await FromScratch.read(app.service.database, told.accountId);
          await scratch.requireStored();
          met.collecting += scratch.payouts.filter(({ isCollecting }) => isCollecting === 1).length;
          met.settling += scratch.payouts.filter(({ isSettling }) => isSettling === 1).length;
          met.held += scratch.payouts.filter(({ status }) => status === 'held').length;
          met.paid += scratch.payouts.filter(({ status }) => status === 'paid').length;
          met.flagged += scratch.entries.filter(({ isFlagged }) => isFlagged === 1).length;
          for (const partnerId of told.partnerIds) await requireEarnings(told, partnerId, scratch, periods);
        }
      }),
      { numRuns: RUNS[engine], examples: [[EVENTFUL], [CANCELED_BEFORE_DUE]] },
    );
    for (const [what, count] of Object.entries(met)) expect(count, what).toBeGreaterThan(0);
  });

  async function isInterrupted(told: Told, happens: Happening): Promise<boolean> {
    const { accountId } = told;
    switch (happens.do) {
      case 'money':
        await tellStep(app.service, told, happens.step).catch(ignoreRefusal);
        return false;
      case 'hours':
        now += happens.hours * HOUR_MS;
        return false;
      case 'run': {
        const at = happens.atHours === null ? null : now + happens.atHours * HOUR_MS;
        const run = (service: Service) => runPayouts(service, accountId, { at, dryRun: false }, { actor: ACTOR });
        const beside = happens.twice ? run(app.service) : undefined;
        const killed = killedAfter(app.service, happens.units);
        await run(killed.service).catch(ignoreKill);
        await beside;
        return killed.isDead();
      }
      case 'settle': {
        const killed = killedAfter(app.service, happens.units);
        await finishSettling(killed.service, accountId).catch(ignoreKill);
        return killed.isDead();
      }
      case 'hold':
      case 'end': {
        const scratch = await FromScratch.read(app.service.database, accountId);
        const underWay = scratch.payouts.filter(({ status }) => isUnderWay(status));
        const payout = underWay[happens.payout % Math.max(1, underWay.length)];
        if (payout === undefined) return false;
        if (happens.do === 'hold') await hold(app.service, accountId, payout.id);
        // what is held is never canceled
        else if (payout.status === 'processing' || happens.end !== 'canceled')
          await settlePayout(app.service, accountId, payout.id, { status: happens.end, note: null, actor: ACTOR });
        return false;
      }
    }
  }

  async function requireEarnings(
    { accountId }: Told,
    partnerId: string,
    scratch: FromScratch,
    periods: readonly { fromHours: number; hours: number }[],
  ): Promise<void> {
    const total = await getEarnings(app.service, accountId, partnerId, parseInput(earningsQuery, {}));
    expect(total.data).toEqual(scratch.earnings(partnerId, { from: 0, to: Number.POSITIVE_INFINITY, at: now }));
    for (const { fromHours, hours } of periods) {
      const from = HISTORY_BEGIN + fromHours * HOUR_MS;
      const to = Math.min(from + hours * HOUR_MS, from + 300 * DAY_MS);
      const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const period = await getEarnings(app.service, accountId, partnerId, parseInput(earningsQuery, query));
      expect(period.data).toEqual(scratch.earnings(partnerId, { from, to, at: now }));
      const byDay = parseInput(earningsQuery, { ...query, interval: 'day' });
      const days = await getEarnings(app.service, accountId, partnerId, byDay);
      expect(days.data).toEqual(scratch.earningsByDay(partnerId, { from, to, at: now }));
    }
  }
});

class Killed extends Error {}

/** A service whose process is killed after some units of work: later ones are not stored. */
function killedAfter(service: Service, unitsMax: number): { service: Service; isDead(): boolean } {
  let left = unitsMax;
  const write: Service['database']['write'] = async (unit) => {
    left -= 1;
    if (left < 0) throw new Killed();
    return service.database.write(unit);
  };
  return { service: { ...service, database: { ...service.database, write } }, isDead: () => left < 0 };
}

function ignoreKill(error: unknown): void {
  if (!(error instanceof Killed)) throw error;
}

/** Ignores the refusal of a decision about a sale that waits for none. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}
