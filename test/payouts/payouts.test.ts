import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collectPayout } from '../../src/payouts/collect.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { asId } from '../helpers/ids.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 1, 12);

describe.each(engines)('payouts on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let now = START;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  beforeEach(async () => {
    now = START;
    referrer = await createReferrer(app);
  });
  afterAll(() => app.close());

  const pass = (days: number) => {
    now += days * DAY_MS;
  };
  const refund = (saleId: string, amount: number, refundId = `re_${saleId}_${amount}`) =>
    app.call('POST', `/api/sales/${saleId}/refunds`, { body: { refundId, amount } });
  const end = (id: string, word: string, body?: unknown) => app.call('POST', `/api/payouts/${id}/${word}`, { body });
  const mine = (run: { body: { data: { id: string; partnerId: string }[] } }) =>
    run.body.data.filter(({ partnerId }) => partnerId === referrer.partnerId);

  it('a run pays what is past its hold, and leaves the rest for the next payout', async () => {
    await sell(app, referrer);
    pass(20);
    await sell(app, referrer, { amount: 5_000 });
    pass(15);
    expect(await earningsOf(app, referrer.partnerId)).toEqual({
      currency: 'usd',
      earned: 3000,
      reversed: 0,
      held: 1000,
      payable: 2000,
      paid: 0,
    });
    const [queued] = await payoutsOf(app, referrer.partnerId);
    const run = await runPayouts(app);
    expect([run.status, run.body.dryRun, run.body.at]).toEqual([200, false, new Date(now).toISOString()]);
    expect(mine(run)).toEqual([
      {
        id: queued.id,
        programId: app.programId,
        partnerId: referrer.partnerId,
        partnerName: queued.partnerName,
        currency: 'usd',
        amount: 2000,
        entryCount: 1,
      },
    ]);
    expect(await payoutsOf(app, referrer.partnerId)).toMatchObject([
      { status: 'queued', amount: 1000, entryCount: 1, processingAt: null },
      {
        id: queued.id,
        status: 'processing',
        amount: 2000,
        processingAt: run.body.at,
        processingBy: expect.stringMatching(/^key_/),
      },
    ]);
    await end(queued.id, 'paid', { note: 'SEPA 4711' });
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ held: 1000, payable: 0, paid: 2000 });
  });

  it('a payout that falls below its minimum while a run is about to start it waits', async () => {
    await sell(app, referrer);
    pass(30);
    const id = asId<'pay'>((await payoutsOf(app, referrer.partnerId))[0].id);
    const partnerId = asId<'ptr'>(referrer.partnerId);
    const ids = { id, accountId: app.accountId, programId: app.programId, partnerId };
    const start = (minimumMinor: number) =>
      collectPayout(app.service, { ...ids, currency: 'usd', minimumMinor }, { at: now, actor: { kind: 'schedule' } });
    expect(await start(2_001)).toBeNull();
    expect(await payoutsOf(app, referrer.partnerId)).toMatchObject([{ id, status: 'queued', amount: 2_000 }]);
    expect(await start(2_000)).toMatchObject({ id, amount: 2_000, entryCount: 1 });
  });

  it('a dry run reports the same and changes nothing', async () => {
    await sell(app, referrer);
    const forecast = await runPayouts(app, { at: new Date(now + 30 * DAY_MS).toISOString(), dryRun: true });
    expect(mine(forecast)).toMatchObject([{ amount: 2000, entryCount: 1 }]);
    expect(await payoutsOf(app, referrer.partnerId)).toMatchObject([{ status: 'queued', entryCount: 1 }]);
  });

  it('a run at an earlier time pays only what was past its hold then', async () => {
    await sell(app, referrer);
    pass(60);
    const before = await runPayouts(app, { at: new Date(START + 30 * DAY_MS - 1).toISOString() });
    expect(mine(before)).toEqual([]);
    const after = await runPayouts(app, { at: new Date(START + 30 * DAY_MS).toISOString() });
    expect(mine(after)).toMatchObject([{ amount: 2000 }]);
  });

  it('a payout waits until it reaches the minimum of its currency', async () => {
    const patch = (minimumPayout: unknown) =>
      app.call('PATCH', `/api/programs/${app.programId}`, { body: { minimumPayout } });
    await patch({ usd: 2001, eur: 100 });
    await sell(app, referrer);
    await sell(app, referrer, { currency: 'eur', amount: 500 });
    await sell(app, referrer, { currency: 'jpy', amount: 5 });
    pass(30);
    expect(mine(await runPayouts(app))).toMatchObject([
      { currency: 'eur', amount: 100 },
      { currency: 'jpy', amount: 1 },
    ]);
    await sell(app, referrer, { amount: 5 });
    pass(30);
    expect(mine(await runPayouts(app))).toMatchObject([{ currency: 'usd', amount: 2001, entryCount: 2 }]);
    await patch(null);
  });

  it('a second run, and two concurrent ones, pay nothing twice', async () => {
    const others = await Promise.all([1, 2, 3, 4, 5].map(() => createReferrer(app)));
    for (const other of [referrer, ...others]) await sell(app, other);
    pass(30);
    const runs = await Promise.all([1, 2, 3, 4].map(() => runPayouts(app)));
    expect(runs.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const started = runs.flatMap(({ body }) => body.data.map(({ id }: { id: string }) => id));
    expect(new Set(started).size).toBe(started.length);
    for (const { partnerId } of [referrer, ...others]) {
      expect(await payoutsOf(app, partnerId, 'processing')).toMatchObject([{ amount: 2000, entryCount: 1 }]);
      expect(await payoutsOf(app, partnerId, 'queued')).toMatchObject([{ amount: 0, entryCount: 0 }]);
    }
    expect((await runPayouts(app)).body).toMatchObject({ payoutCount: 0, entryCount: 0, totals: [], data: [] });
  });

  it.each(['failed', 'cancel'])('the entries of a payout marked %s go into the next one', async (word) => {
    await sell(app, referrer);
    pass(30);
    const [first] = mine(await runPayouts(app));
    const ended = await end(first?.id ?? '', word, { note: 'wrong account number' });
    const status = word === 'failed' ? 'failed' : 'canceled';
    expect([ended.status, ended.body]).toEqual([
      200,
      expect.objectContaining({
        status,
        amount: 2000,
        entryCount: 1,
        paidAt: null,
        note: 'wrong account number',
        endedBy: expect.stringMatching(/^key_/),
      }),
    ]);
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject({ payable: 2000, paid: 0 });
    const [second] = mine(await runPayouts(app));
    expect(second).toMatchObject({ amount: 2000, entryCount: 1 });
    expect(second?.id).not.toBe(first?.id);
  });

  it('a payout in the wrong status is INVALID_STATE, names both statuses, and changes nothing', async () => {
    const saleId = await sell(app, referrer);
    const [queued] = await payoutsOf(app, referrer.partnerId);
    const early = await end(queued.id, 'paid');
    expect([early.status, early.body.error]).toEqual([
      409,
      {
        code: 'INVALID_STATE',
        message: `Payout ${queued.id} is queued; only a payout that is processing can become paid`,
      },
    ]);
    pass(30);
    await runPayouts(app);
    expect((await end(queued.id, 'paid')).status).toBe(200);
    expect((await app.call('GET', `/api/sales/${saleId}`)).body.status).toBe('paid');
    for (const word of ['paid', 'failed', 'cancel']) {
      const late = await end(queued.id, word);
      expect([late.status, late.body.error.code]).toEqual([409, 'INVALID_STATE']);
      expect(late.body.error.message).toMatch(
        /is paid; only .* processing can become (paid|failed\. If its money came back, .+ pays|canceled)$/,
      );
    }
    expect((await app.call('GET', `/api/payouts/${queued.id}`)).body.status).toBe('paid');
  });

  it('a refund after the payout becomes a negative entry that later payouts offset', async () => {
    const saleId = await sell(app, referrer);
    pass(30);
    await runPayouts(app);
    const [payout] = await payoutsOf(app, referrer.partnerId, 'processing');
    await end(payout.id, 'paid');
    await refund(saleId, 10_000);
    expect(await earningsOf(app, referrer.partnerId)).toEqual({
      currency: 'usd',
      earned: 2000,
      reversed: 2000,
      held: 0,
      payable: -2000,
      paid: 2000,
    });
    await sell(app, referrer, { amount: 5_000 });
    pass(30);
    expect(mine(await runPayouts(app))).toEqual([]);
    expect(await payoutsOf(app, referrer.partnerId, 'queued')).toMatchObject([{ amount: -1000, entryCount: 2 }]);
    await sell(app, referrer, { amount: 6_000 });
    pass(30);
    expect(mine(await runPayouts(app))).toMatchObject([{ amount: 200, entryCount: 3 }]);
  });

  it('another account cannot see or change them', async () => {
    const saleId = await sell(app, referrer);
    pass(30);
    const other = await app.addAccount('Other Ltd');
    const call = (method: string, path: string, body?: unknown) => app.call(method, path, { body, key: other.apiKey });
    expect((await call('POST', '/api/payouts/run', {})).body.payoutCount).toBe(0);
    await runPayouts(app);
    const [payout] = await payoutsOf(app, referrer.partnerId, 'processing');
    const answers = [
      await call('GET', `/api/payouts/${payout.id}`),
      await call('POST', `/api/payouts/${payout.id}/paid`),
      await call('POST', `/api/payouts/${payout.id}/cancel`),
      await call('GET', `/api/partners/${referrer.partnerId}/earnings`),
      await call('POST', `/api/sales/${saleId}/refunds`, { refundId: 're', amount: 1 }),
      await call('POST', `/api/sales/${saleId}/approve`),
      await call('POST', '/api/adjustments', {
        partnerId: referrer.partnerId,
        amount: 5,
        currency: 'usd',
        reason: 'Theft',
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    expect((await call('GET', '/api/payouts/export?format=json')).body).toEqual({ data: [] });
  });

  it.each([{ at: 'tomorrow' }, { at: '2026-02-30' }, { at: 5 }, { dryRun: 'yes' }, []])(
    'refuses to run with %j',
    async (body) => {
      const answer = await app.call('POST', '/api/payouts/run', { body });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    },
  );
});
