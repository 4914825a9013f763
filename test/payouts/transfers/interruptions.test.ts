import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createService, type Service } from '../../../src/app/service.ts';
import { continueTransfers } from '../../../src/payouts/transfers/work.ts';
import { engines } from '../../helpers/databases.ts';
import { expectError } from '../../helpers/expect-error.ts';
import { requireAgreement } from '../../helpers/require-agreement.ts';
import { FAULTS } from '../../helpers/stripe-connect.ts';
import { CREATE, createStage, HOUR_MS, type Sendable, type Stage } from './stage.ts';

/** Longer than a lease. */
const LATER_MS = 130_000;

describe.each(engines)('processes that send payouts, on %s', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
    await stage.connect();
  });
  afterEach(() => stage.stripe.clearFaults());
  afterAll(() => stage.close());

  /** Another process on the same database. */
  const anotherProcess = () => createService(stage.app.service);

  /** A process that dies once it has `alive` writes behind it: nothing that it does afterwards reaches the database. */
  function dyingProcess(alive: number): Service {
    const { database } = stage.app.service;
    let writes = 0;
    const write: typeof database.write = (unit, options) => {
      writes += 1;
      return writes > alive ? Promise.reject(new Error('The process was killed')) : database.write(unit, options);
    };
    return createService({ ...stage.app.service, database: { ...database, write } });
  }

  it('share the work: each payout is sent once', async () => {
    const payouts: Sendable[] = [];
    // one by one: requests that wait for each other may be refused on a busy machine
    while (payouts.length < 24) {
      const payout = await stage.payout();
      expect((await stage.send(payout.id)).status).toBe(202);
      payouts.push(payout);
    }
    const workers = [anotherProcess(), anotherProcess(), anotherProcess()];
    const counts = await Promise.all(workers.map((service) => continueTransfers(service)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(24);
    for (const { id } of payouts) {
      expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
    }
  });

  // its writes: the lease, the note that it orders, the end
  it.each([
    ['before it ordered', 1, 0],
    ['after it ordered, before it stored the result', 2, 1],
  ])('one dies %s: another one finishes, once', async (_when, alive, made) => {
    const { id } = await stage.payout();
    await stage.send(id);
    await continueTransfers(dyingProcess(alive));
    expect(await stage.outcomeOf(id)).toEqual([made, 'processing']);
    // it may still live
    expect(await continueTransfers(anotherProcess())).toBe(0);
    stage.clock.aheadMs += LATER_MS;
    expect(await continueTransfers(anotherProcess())).toBe(1);
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });

  it('one is silent for longer than its lease, and comes back: what the other stored stays', async () => {
    const { id } = await stage.payout();
    await stage.send(id);
    stage.stripe.fault(CREATE, FAULTS.delay(500));
    const slow = continueTransfers(anotherProcess());
    await expect.poll(() => stage.stripe.requests.some(({ body }) => JSON.stringify(body).includes(id))).toBe(true);
    stage.clock.aheadMs += LATER_MS;
    // the first one's request is under way, so that Stripe refuses the same key
    await continueTransfers(anotherProcess());
    await slow;
    stage.clock.aheadMs += LATER_MS;
    await continueTransfers(anotherProcess());
    const paid = await stage.get(id);
    expect([stage.madeOf(id), paid.status, paid.transfer.status]).toEqual([1, 'paid', 'sent']);
  });

  it('one stops in the middle of a request: the payout waits for the next one', async () => {
    const { id } = await stage.payout();
    await stage.send(id);
    stage.stripe.fault(CREATE, FAULTS.hangAfter);
    const lifecycle = { draining: false };
    const stopping = createService({ ...stage.app.service, lifecycle });
    const working = continueTransfers(stopping);
    await expect.poll(() => stage.madeOf(id)).toBe(1);
    lifecycle.draining = true;
    await working;
    expect(await stage.get(id)).toMatchObject({ status: 'processing', transfer: { status: 'sending' } });
    await continueTransfers(anotherProcess());
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });

  it('one finds a held payment and cannot store it: it is looked for again, and cannot be marked as failed until then', async () => {
    const { id } = await stage.lost();
    stage.stripe.platform.isListBehind = true;
    stage.stripe.expireKeys();
    stage.clock.aheadMs += 24 * HOUR_MS;
    await continueTransfers(anotherProcess());
    stage.stripe.platform.isListBehind = false;
    expect(await stage.outcomeOf(id)).toEqual([1, 'held']);
    await stage.send(id);
    const { database } = stage.app.service;
    let writes = 0;
    const write: typeof database.write = (unit, options) => {
      writes += 1;
      // the lease, the end
      return writes === 2 ? Promise.reject(new Error('The database is locked')) : database.write(unit, options);
    };
    await continueTransfers(createService({ ...stage.app.service, database: { ...database, write } }));
    const failed = await stage.app.call('POST', `/api/payouts/${id}/failed`);
    expectError(failed, 409, 'INVALID_STATE');
    expect(failed.body.error.message).toContain('is being looked for');
    stage.clock.aheadMs += LATER_MS;
    await continueTransfers(anotherProcess());
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });

  it('one stands still for a day before it orders, as a machine does that was suspended: it orders nothing', async () => {
    const { id } = await stage.payout();
    await stage.send(id);
    const { database } = stage.app.service;
    let writes = 0;
    const write: typeof database.write = async (unit, options) => {
      const result = await database.write(unit, options);
      writes += 1;
      // the lease, the note that it orders
      if (writes === 2) {
        stage.clock.aheadMs += LATER_MS;
        await continueTransfers(anotherProcess());
        stage.clock.aheadMs += 25 * HOUR_MS;
        stage.stripe.expireKeys();
      }
      return result;
    };
    await continueTransfers(createService({ ...stage.app.service, database: { ...database, write } }));
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });

  it('leave a ledger that agrees', async () => {
    await requireAgreement(stage.app.service, stage.app.accountId);
  });
});
