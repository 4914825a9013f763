import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../helpers/databases.ts';
import { earningsOf, payoutsOf, runPayouts, sell } from '../../helpers/earning.ts';
import { expectError } from '../../helpers/expect-error.ts';
import { createReferrer } from '../../helpers/story.ts';
import { createStage, type Stage } from './stage.ts';

describe.each(engines)('sending a payout, on %s', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
    await stage.connect();
  });
  afterAll(() => stage.close());

  it('orders one transfer of its amount, and the payout is paid under its id', async () => {
    const { id, partnerId, destination } = await stage.payout();
    const sent = await stage.send(id);
    expect(sent.status, sent.text).toBe(202);
    expect(sent.body).toMatchObject({
      id,
      status: 'processing',
      transfer: { rail: 'stripe', mode: 'test', status: 'sending', transferId: null, attempts: 0, problem: null },
    });
    expect(sent.body.transfer.destination).toBe(`acct_…${destination.slice(-4)}`);
    expect(stage.madeOf(id)).toBe(0);

    await stage.work();
    expect(stage.madeOf(id)).toBe(1);
    const [made] = stage.transfersOf(id);
    expect(made).toMatchObject({ amount: 1_999, currency: 'eur', destination, metadata: { refbridgePayoutId: id } });
    const paid = await stage.get(id);
    expect(paid).toMatchObject({ status: 'paid', note: made?.id, endedBy: 'stripe' });
    expect(paid.transfer).toMatchObject({
      status: 'sent',
      transferId: made?.id,
      attempts: 1,
      problem: null,
      nextAttemptAt: null,
      endedAt: expect.any(String),
    });
    expect(await earningsOf(stage.app, partnerId, 'eur')).toMatchObject({ paid: 1_999, payable: 0, held: 0 });
  });

  it('is repeated without an effect: while it is sent, and afterwards', async () => {
    const { id } = await stage.payout();
    const first = await Promise.all([stage.send(id), stage.send(id), stage.send(id)]);
    expect(first.map(({ status }) => status)).toEqual([202, 202, 202]);
    await stage.work();
    const again = await stage.send(id);
    expect([again.status, again.body.status, again.body.transfer.status]).toEqual([202, 'paid', 'sent']);
    await stage.work();
    expect(stage.madeOf(id)).toBe(1);
  });

  it('is refused for what a transfer cannot pay, and nothing is left behind', async () => {
    const referrer = await createReferrer(stage.app);
    const set = (body: object) => stage.app.call('PUT', `/api/partners/${referrer.partnerId}/payout-details`, { body });
    await sell(stage.app, referrer, { amount: 5_000, currency: 'eur' });
    const [{ id: queued }] = await payoutsOf(stage.app, referrer.partnerId, 'queued');
    expectError(await stage.send(queued), 409, 'INVALID_STATE');
    await runPayouts(stage.app, { at: '2099-12-31' });
    const [{ id }] = await payoutsOf(stage.app, referrer.partnerId, 'processing');
    const refusal = async () => (await stage.send(id)).body.error.message;
    expect(await refusal()).toContain('has no payout details');
    await set({ rail: 'paypal', email: 'ana@example.com' });
    expect(await refusal()).toContain('is paid by paypal, which makes files');
    await set({ rail: 'stripe', account: 'acct_unknown0001' });
    expect(await refusal()).toContain('cannot be paid by Stripe');
    const unfinished = stage.stripe.platform.addAccount({
      id: 'acct_unfinished01',
      capabilities: { transfers: 'inactive' },
    });
    await set({ rail: 'stripe', account: unfinished.id });
    expect(await refusal()).toContain('cannot be paid by Stripe');
    expect(await stage.get(id)).toMatchObject({ status: 'processing', transfer: null });
    expect(await stage.work()).toBe(0);
    expectError(await stage.send('pay_00000000000000000000000000000000'), 404, 'NOT_FOUND');
    const other = await stage.app.addAccount('Another Ltd');
    expectError(await stage.send(id, other.apiKey), 404, 'NOT_FOUND');
  });

  it('and a file exclude each other', async () => {
    const { id, partnerId } = await stage.payout();
    const debtor = { name: 'Aurora GmbH', iban: 'DE02120300000000202051' };
    const sepa = { rail: 'sepa', name: 'Ana Alvarez', iban: 'DE89370400440532013000' };
    const set = (body: object) => stage.app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
    const make = () =>
      stage.app.call('POST', '/api/payouts/files', { body: { rail: 'sepa', debtor, payoutIds: [id] } });
    const { body: before } = await stage.app.call('GET', `/api/partners/${partnerId}`);
    await set(sepa);
    const made = await make();
    expect(made.status, made.text).toBe(201);
    await set({ rail: 'stripe', account: 'acct_ana99999999' });
    stage.stripe.platform.addAccount({ id: 'acct_ana99999999' });
    expect((await stage.send(id)).body.error.message).toContain(`is in the file ${made.body.id}`);
    await stage.app.call('POST', `/api/payouts/files/${made.body.id}/cancel`);
    expect((await stage.send(id)).status).toBe(202);
    await set(sepa);
    expectError(await make(), 409, 'INVALID_STATE');
    for (const end of ['paid', 'failed', 'cancel']) {
      const ended = await stage.app.call('POST', `/api/payouts/${id}/${end}`);
      expectError(ended, 409, 'INVALID_STATE');
      expect(ended.body.error.message).toContain('is being sent');
    }
    await stage.work();
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
    expect(before.payoutDetails.rail).toBe('stripe');
  });

  it('is refused by the provider: its entries go into the next payout, under another id', async () => {
    const { id, partnerId, destination } = await stage.payout();
    stage.stripe.platform.balances.set('eur', 0);
    await stage.send(id);
    await stage.work();
    const failed = await stage.get(id);
    expect(failed).toMatchObject({ status: 'failed', endedBy: 'stripe', transfer: { status: 'failed', attempts: 1 } });
    expect(failed.note).toMatch(/insufficient/i);
    expect((await stage.send(id)).body.error.message).toContain('is failed');
    stage.stripe.platform.balances.delete('eur');
    await runPayouts(stage.app, { at: '2099-12-31' });
    const [next] = await payoutsOf(stage.app, partnerId, 'processing');
    expect(next).toMatchObject({ amount: 1_999 });
    await stage.send(next.id);
    await stage.work();
    expect([stage.madeOf(id), stage.madeOf(next.id), (await stage.get(next.id)).status]).toEqual([0, 1, 'paid']);
    const paid = [...stage.stripe.transfers.values()].filter((transfer) => transfer.destination === destination);
    expect(paid.map(({ amount }) => amount)).toEqual([1_999]);
  });

  it('a refund afterwards takes back nothing that was sent: the next payout is smaller', async () => {
    const { id, partnerId, referrer, invoiceId } = await stage.payout();
    await stage.send(id);
    await stage.work();
    const refund = { invoiceId, refundId: `re_${id}`, amount: 9_995 };
    const refunded = await stage.app.call('POST', '/api/refunds', { body: refund });
    expect(refunded.status, refunded.text).toBeLessThan(300);
    await sell(stage.app, referrer, { amount: 30_000, currency: 'eur' });
    await runPayouts(stage.app, { at: '2099-12-31' });
    const [next] = await payoutsOf(stage.app, partnerId, 'processing');
    expect(next).toMatchObject({ amount: 6_000 - 1_999 });
    await stage.send(next.id);
    await stage.work();
    const made = stage.transfersOf(id, next.id);
    expect(made.map(({ amount, amount_reversed }) => [amount, amount_reversed])).toEqual([
      [1_999, 0],
      [4_001, 0],
    ]);
  });
});
