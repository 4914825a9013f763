import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../helpers/databases.ts';
import { earningsOf } from '../../helpers/earning.ts';
import { expectError } from '../../helpers/expect-error.ts';
import { requireAgreement } from '../../helpers/require-agreement.ts';
import { FAULTS } from '../../helpers/stripe-connect.ts';
import { CREATE, createStage, HOUR_MS, LIST, type Stage } from './stage.ts';

describe.each(engines)('a transfer of which nobody knows, on %s', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
    await stage.connect();
  });
  afterEach(() => stage.stripe.clearFaults());
  afterAll(() => stage.close());

  /** Lets hours pass, and the transfers that are due be seen to, as often as an hour would. */
  async function pass(hours: number): Promise<void> {
    for (let hour = 0; hour < hours; hour += 1) {
      stage.clock.aheadMs += HOUR_MS;
      await stage.work();
    }
  }

  it.each([
    ['the connection is lost before', FAULTS.drop, 1],
    ['the connection is lost after it was made', FAULTS.dropAfter, 1],
    ['the answer is cut off', FAULTS.cut, 1],
    ['something answers with a page', FAULTS.notJson, 1],
    ['it is made, but the answer is 500', FAULTS.errorAfter, 1],
    ['the API is down', FAULTS.unavailable, 3],
    ['it is told to wait', FAULTS.rateLimited('1'), 2],
    ['another request uses its key', FAULTS.conflict, 2],
  ])('%s: it is made once, and the payout is paid', async (_case, fault, times) => {
    const { id, partnerId } = await stage.payout();
    stage.stripe.fault(CREATE, fault, times);
    await stage.send(id);
    await stage.work();
    const waiting = await stage.get(id);
    expect(waiting).toMatchObject({ status: 'processing', transfer: { status: 'sending', attempts: 1 } });
    expect(waiting.transfer.problem).toBeTruthy();
    const { nextAttemptAt, createdAt } = waiting.transfer;
    expect(Date.parse(nextAttemptAt)).toBeGreaterThanOrEqual(Date.parse(createdAt) + 2_000);
    expect(await stage.work()).toBe(0);
    await pass(times);
    const paid = await stage.get(id);
    expect([stage.madeOf(id), paid.status, paid.transfer.problem]).toEqual([1, 'paid', null]);
    expect(await earningsOf(stage.app, partnerId, 'eur')).toMatchObject({ paid: 1_999, payable: 0 });
  });

  it('what was made and forgotten is found within the day, and is not ordered again', async () => {
    const { id } = await stage.lost();
    stage.stripe.expireKeys();
    await pass(1);
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });

  it('is ordered under one key for 23 hours, and then only looked for: none is no proof, so it is held', async () => {
    const { id, partnerId } = await stage.payout();
    stage.stripe.fault(CREATE, FAULTS.unavailable, 1_000);
    await stage.send(id);
    await stage.work();
    const asked = () =>
      stage.stripe.requests.filter(
        ({ method, headers }) => method === 'POST' && headers['idempotency-key'] === `payout_${id}`,
      );
    await pass(22);
    const before = asked().length;
    expect(before).toBeGreaterThanOrEqual(23);
    expect((await stage.get(id)).status).toBe('processing');
    await pass(2);
    const held = await stage.get(id);
    expect(held).toMatchObject({ status: 'held', endedAt: null, transfer: { status: 'held', nextAttemptAt: null } });
    expect(held.note).toContain('does not prove that there is none');
    expect(await earningsOf(stage.app, partnerId, 'eur')).toMatchObject({ paid: 0, payable: 1_999 });
    const after = asked().length;
    await pass(30);
    expect(asked().length).toBe(after);

    // a person has it looked for again, in vain, and decides
    expect((await stage.send(id)).status).toBe(202);
    await stage.work();
    expect((await stage.get(id)).status).toBe('held');
    expectError(await stage.app.call('POST', `/api/payouts/${id}/cancel`), 409, 'INVALID_STATE');
    const failed = await stage.app.call('POST', `/api/payouts/${id}/failed`, { body: { note: 'Not at Stripe' } });
    expect(failed.body).toMatchObject({ status: 'failed', note: 'Not at Stripe' });
    expect((await stage.get(id)).transfer).toMatchObject({ status: 'failed', nextAttemptAt: null });
    // its hold is not over: the run was ahead of its time
    expect(await earningsOf(stage.app, partnerId, 'eur')).toMatchObject({ paid: 0, payable: 0, held: 1_999 });
    expect(stage.madeOf(id)).toBe(0);
  });

  it('is held, and found when a person has it looked for again', async () => {
    const { id } = await stage.lost();
    stage.stripe.platform.isListBehind = true;
    stage.stripe.expireKeys();
    stage.clock.aheadMs += 24 * HOUR_MS;
    await stage.work();
    expect(await stage.outcomeOf(id)).toEqual([1, 'held']);
    stage.stripe.platform.isListBehind = false;
    await stage.send(id);
    await stage.work();
    const paid = await stage.get(id);
    expect([paid.status, paid.transfer.status, stage.madeOf(id)]).toEqual(['paid', 'sent', 1]);
    expect(paid.note).toBe(paid.transfer.transferId);
  });

  it('is not marked as failed while it is looked for: it may be found', async () => {
    const { id } = await stage.lost();
    stage.stripe.platform.isListBehind = true;
    stage.clock.aheadMs += 24 * HOUR_MS;
    await stage.work();
    expect((await stage.get(id)).status).toBe('held');
    stage.stripe.platform.isListBehind = false;
    stage.stripe.fault(LIST, FAULTS.unavailable);
    await stage.send(id);
    const fail = () => stage.app.call('POST', `/api/payouts/${id}/failed`);
    const refused = await fail();
    expectError(refused, 409, 'INVALID_STATE');
    expect(refused.body.error.message).toContain('is being looked for');
    await stage.work();
    // it was looked for in vain, so that a person may decide
    expect(await stage.get(id)).toMatchObject({ status: 'held', transfer: { status: 'held', nextAttemptAt: null } });
    await stage.send(id);
    const [, late] = await Promise.all([stage.work(), fail()]);
    expectError(late, 409, 'INVALID_STATE');
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });

  it('was taken back before it was read again: a person decides', async () => {
    const { id } = await stage.lost();
    const [made] = stage.transfersOf(id);
    stage.stripe.platform.reverse(made?.id ?? '');
    await pass(1);
    const held = await stage.get(id);
    expect(held).toMatchObject({ status: 'held', transfer: { status: 'held', transferId: made?.id } });
    expect(held.note).toContain(made?.id);
    const paid = await stage.app.call('POST', `/api/payouts/${id}/paid`);
    expect(paid.body.status).toBe('paid');
  });

  it('was never ordered, because nothing could be asked for a day: it is held', async () => {
    const { id, partnerId } = await stage.payout();
    await stage.send(id);
    stage.stripe.fault(LIST, FAULTS.drop, 30);
    await pass(22);
    expect(await stage.get(id)).toMatchObject({ status: 'processing', transfer: { attempts: 0 } });
    await pass(2);
    const held = await stage.get(id);
    expect(held).toMatchObject({ status: 'held', transfer: { status: 'held', attempts: 0 } });
    expect(held.note).toContain('Nothing was ordered here within a day');
    expect([stage.madeOf(id), (await earningsOf(stage.app, partnerId, 'eur')).payable]).toEqual([0, 1_999]);
  });

  it('leaves a ledger that agrees', async () => {
    await requireAgreement(stage.app.service, stage.app.accountId);
  });
});
