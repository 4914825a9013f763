import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../../src/app/service.ts';
import { accountChecks } from '../../../src/cli/doctor/account-checks.ts';
import { continueTransfers } from '../../../src/payouts/transfers/work.ts';
import { engines } from '../../helpers/databases.ts';
import { FAULTS, STRIPE_KEY } from '../../helpers/stripe-connect.ts';
import { CREATE, createStage, HOUR_MS, type Stage } from '../../payouts/transfers/stage.ts';

describe.each(engines)('what doctor says of payouts that are not sent until somebody acts (%s)', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
    await stage.connect();
  });
  afterEach(() => {
    stage.stripe.clearFaults();
    stage.stripe.keys.set(STRIPE_KEY, stage.stripe.platform);
  });
  afterAll(() => stage.close());

  const found = async () =>
    (await accountChecks(stage.app.service)).filter(({ check }) => check === 'payouts being sent');

  async function ordered(): Promise<string> {
    const { id } = await stage.payout();
    await stage.send(id);
    return id;
  }

  /** From now on, everything is as it should be. */
  async function expectPaid(id: string): Promise<void> {
    stage.clock.aheadMs += HOUR_MS;
    await stage.work();
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
    expect(await found()).toEqual([]);
  }

  const inHours = (hours: number) => new Date(stage.clock.now() + hours * HOUR_MS).toISOString();

  it.each([
    ['before the first order', 23, async (id: string) => id],
    [
      'after it',
      47,
      async (id: string) => {
        stage.stripe.fault(CREATE, FAULTS.drop);
        await stage.work();
        return id;
      },
    ],
  ])('the key was revoked %s: names the payout, and until when it waits', async (_when, hours, prepare) => {
    const id = await prepare(await ordered());
    const until = inHours(hours);
    stage.clock.aheadMs += HOUR_MS;
    stage.stripe.keys.delete(STRIPE_KEY);
    await stage.work();
    const [check, ...others] = await found();
    expect(others).toEqual([]);
    expect(check).toMatchObject({
      status: 'failed',
      message: expect.stringMatching(new RegExp(`: 1 payout cannot be sent with the key of Stripe .*: ${id}$`)),
    });
    expect(check?.advice).toContain('rails connect stripe`');
    expect(check?.advice).toContain(`it is held from ${until} on`);
    stage.stripe.keys.set(STRIPE_KEY, stage.stripe.platform);
    await expectPaid(id);
  });

  it('the clocks disagree: says so', async () => {
    const id = await ordered();
    stage.stripe.fault(CREATE, FAULTS.drop);
    await stage.work();
    const clock = () => stage.clock.now() + 30 * HOUR_MS;
    await continueTransfers(createService({ ...stage.app.service, clock }));
    const message = expect.stringContaining('the clocks of this server and of Stripe disagree');
    expect(await found()).toContainEqual(expect.objectContaining({ status: 'failed', message }));
    await expectPaid(id);
  });

  it('the key of several payouts was revoked: speaks of all of them', async () => {
    const ids = [await ordered(), await ordered()];
    stage.stripe.keys.delete(STRIPE_KEY);
    await stage.work();
    const [check] = await found();
    expect(check?.message).toContain(': 2 payouts cannot be sent with the key of Stripe that is stored');
    expect(check?.advice).toContain('Then they are sent by themselves, or held if they may have been paid already.');
    expect(check?.advice).toContain('If neither happens, they are held from ');
    stage.stripe.keys.set(STRIPE_KEY, stage.stripe.platform);
    for (const id of ids) await expectPaid(id);
  });

  /** A process with an error in what it writes: it fails each time, but for the lease and what comes after. */
  function faultyProcess(failing: number): Service {
    const { database } = stage.app.service;
    let writes = 0;
    const write: typeof database.write = (unit, options) => {
      writes += 1;
      return writes === failing ? Promise.reject(new TypeError('Nobody expects it')) : database.write(unit, options);
    };
    return createService({ ...stage.app.service, database: { ...database, write } });
  }

  // its writes: the lease, the note that it orders, the end
  it.each([
    ['before it orders', 2, 0],
    ['when it stores the result', 3, 1],
  ])('an attempt fails %s because of a bug: names the payout, and where to look', async (_when, failing, made) => {
    const id = await ordered();
    await continueTransfers(faultyProcess(failing));
    expect(await stage.outcomeOf(id)).toEqual([made, 'processing']);
    const [check] = await found();
    expect(check?.message).toMatch(new RegExp(`: 1 payout cannot be sent because of an error in Refbridge.*: ${id}$`));
    expect(check?.advice).toContain("server's log");
    await expectPaid(id);
  });
});
