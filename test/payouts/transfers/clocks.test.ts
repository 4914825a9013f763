import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../../src/app/service.ts';
import { continueTransfers } from '../../../src/payouts/transfers/work.ts';
import { engines } from '../../helpers/databases.ts';
import { requireAgreement } from '../../helpers/require-agreement.ts';
import { rounds } from '../../helpers/rounds.ts';
import { FAULTS } from '../../helpers/stripe-connect.ts';
import { CREATE, createStage, HOUR_MS, type Stage } from './stage.ts';

const DAY_HOURS = 24;

const step = fc.record({
  hours: fc.oneof(fc.nat(3), fc.integer({ min: 20, max: 30 })),
  /** By how many hours the clock of the process is wrong. */
  wrongBy: fc.constantFrom(0, 0, -10, 10, -26, 40),
  fault: fc.constantFrom(FAULTS.dropAfter, FAULTS.drop, FAULTS.errorAfter, FAULTS.unavailable, null),
  isListBehind: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const LOST: Step = { hours: 0, wrongBy: 0, fault: FAULTS.dropAfter, isListBehind: true };

/** A history for each way in which the clock of one process alone would lead to a second order. */
const EXAMPLES: Step[][] = [
  [LOST, { ...LOST, hours: 28, wrongBy: -26 }],
  [
    { ...LOST, wrongBy: 10 },
    { ...LOST, hours: 25 },
  ],
  [
    { ...LOST, wrongBy: 40 },
    { ...LOST, hours: 26, wrongBy: 40 },
    { ...LOST, hours: 3, wrongBy: 10 },
  ],
];

describe.each(engines)('transfers and clocks that are wrong, on %s', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
    await stage.connect();
  });
  afterEach(() => {
    stage.stripe.clearFaults();
    stage.stripe.platform.isListBehind = false;
    stage.stripe.date = stage.clock.date;
  });
  afterAll(() => stage.close());

  /** Does what a process does whose clock is wrong by some hours. */
  const workWith = (wrongBy: number) =>
    continueTransfers(createService({ ...stage.app.service, clock: () => stage.clock.now() + wrongBy * HOUR_MS }));

  /** A payout of which nobody knows whether it was made, and which Stripe does not list yet. */
  async function lost(): Promise<string> {
    const { id } = await stage.lost();
    stage.stripe.platform.isListBehind = true;
    expect(await stage.outcomeOf(id)).toEqual([1, 'processing']);
    return id;
  }

  it('a clock that jumped back over the day: nothing is ordered again, and the transfer says why', async () => {
    const id = await lost();
    stage.clock.aheadMs += 30 * HOUR_MS;
    stage.stripe.expireKeys();
    await workWith(-28);
    const { status, transfer } = await stage.get(id);
    expect([stage.madeOf(id), status, transfer.status, transfer.attempts]).toEqual([1, 'processing', 'sending', 1]);
    expect(transfer.problem).toMatch(/^The clocks of this server and of Stripe disagree .* check this server's clock$/);
    // once the clock is right
    await stage.work();
    expect(await stage.outcomeOf(id)).toEqual([1, 'held']);
    stage.stripe.platform.isListBehind = false;
    await stage.send(id);
    await stage.work();
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });

  it('a clock that jumped ahead: the payout is not held, and goes on once the clock is right', async () => {
    const id = await lost();
    await workWith(30);
    expect((await stage.get(id)).transfer).toMatchObject({ status: 'sending', attempts: 1 });
    stage.clock.aheadMs += HOUR_MS;
    await stage.work();
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });

  it('a clock that is wrong by the same hours all the time: everything is sent as usual', async () => {
    const { id } = await stage.payout();
    stage.stripe.fault(CREATE, FAULTS.drop);
    await stage.send(id);
    await workWith(-10);
    stage.clock.aheadMs += HOUR_MS;
    await workWith(-10);
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });

  it.each([
    ['no time', () => null],
    ['no valid time', () => 'yesterday'],
    ['always the same time', () => 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ])('Stripe tells %s: the order is repeated, and the payout is paid', async (_what, date) => {
    const { id } = await stage.payout();
    stage.stripe.date = date;
    stage.stripe.fault(CREATE, FAULTS.drop);
    await stage.send(id);
    await stage.work();
    stage.clock.aheadMs += 22 * HOUR_MS;
    await stage.work();
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });

  it('Stripe tells its time no more, and the clock was set back by a day: nothing is ordered again, but the payout held', async () => {
    const id = await lost();
    stage.stripe.date = () => null;
    stage.clock.aheadMs += 26 * HOUR_MS;
    stage.stripe.expireKeys();
    await workWith(-25);
    const { status, transfer } = await stage.get(id);
    expect([stage.madeOf(id), status, transfer.attempts]).toEqual([1, 'processing', 1]);
    expect(transfer.problem).toMatch(/^The answers of Stripe no longer tell the time/);
    // 47 hours by the clock that was set back
    stage.clock.aheadMs += 46 * HOUR_MS;
    await workWith(-25);
    expect(await stage.outcomeOf(id)).toEqual([1, 'held']);
  });

  it('Stripe tells times of other years: the payout is not sent forever, but held', async () => {
    const { id } = await stage.payout();
    const dates = ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT'];
    stage.stripe.date = () => dates[stage.stripe.requests.length % 2] ?? null;
    stage.stripe.fault(CREATE, FAULTS.drop, 1_000);
    await stage.send(id);
    for (let hours = 0; hours < 49; hours += 1) {
      await stage.work();
      stage.clock.aheadMs += HOUR_MS;
    }
    expect(await stage.outcomeOf(id)).toEqual([0, 'held']);
  });

  it('whatever the clocks say and Stripe lists: a payout is made once, and paid only if it was made', async () => {
    const said = new Map<string, number>();
    const history = async (steps: Step[]): Promise<void> => {
      const { id } = await stage.payout();
      await stage.send(id);
      let madeAt: number | null = null;
      for (const { hours, wrongBy, fault, isListBehind } of steps) {
        stage.clock.aheadMs += hours * HOUR_MS;
        if (madeAt !== null && stage.clock.now() - madeAt >= DAY_HOURS * HOUR_MS) stage.stripe.expireKeys();
        stage.stripe.platform.isListBehind = isListBehind;
        if (fault !== null) stage.stripe.fault(CREATE, fault);
        await workWith(wrongBy);
        stage.stripe.clearFaults();
        if (stage.madeOf(id) > 0) madeAt ??= stage.clock.now();
        expect(stage.madeOf(id)).toBeLessThanOrEqual(1);
      }
      stage.stripe.platform.isListBehind = false;
      // with a clock that is right, it is known in the end
      for (let hours = 0; hours < 50 && (await stage.get(id)).status === 'processing'; hours += 10) {
        stage.clock.aheadMs += 10 * HOUR_MS;
        if (hours >= DAY_HOURS) stage.stripe.expireKeys();
        await stage.work();
      }
      if ((await stage.get(id)).status === 'held') await stage.send(id);
      await stage.work();
      const { status } = await stage.get(id);
      said.set(status, (said.get(status) ?? 0) + 1);
      expect([status, stage.madeOf(id)]).toEqual(stage.madeOf(id) === 1 ? ['paid', 1] : ['held', 0]);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), history), {
      numRuns: rounds(100),
      examples: EXAMPLES.map((steps): [Step[]] => [steps]),
      endOnFailure: true,
    });
    expect(said.get('paid')).toBeGreaterThan(0);
  });

  it('leave a ledger that agrees', async () => {
    await requireAgreement(stage.app.service, stage.app.accountId);
  });
});
