import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../helpers/databases.ts';
import { createScene, type Scene } from './scene.ts';

const FIRST = 'txn_01k9w2p0a2b4c6d8e0f1g3h5jk';
const RENEWAL = 'txn_01kcb7r1s3t5v7w9x0y2z4a6bc';
const UPGRADE = 'txn_01kcq4d2e4f6g8h0j1k3m5n7pq';

describe.each(engines)('the story of Marta, who subscribes through Paddle, on %s', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene(engine, 'paddle');
  });
  afterAll(() => scene.app.close());

  it('starts with her sign-up; Paddle reports her ids', async () => {
    await scene.referrer.lead('user_4711');
    expect(await scene.deliver('customer.created')).toBe('noted: identity learned');
    expect(await scene.deliver('transaction.created')).toMatch(/^ignored: .* moves no money/);
    expect(await scene.books()).toEqual({});
  });

  it('counts her first payment once: transaction.paid, and transaction.completed of the same transaction', async () => {
    expect(await scene.deliver('transaction.paid--subscription-first')).toBe('sale');
    expect(await scene.deliver('transaction.completed--subscription-first')).toBe(
      'duplicate: this payment is already sale sal_…',
    );
    expect(await scene.deliver('transaction.completed--subscription-first')).toBe('duplicate: seen before');
    expect(await scene.books()).toEqual({ [FIRST]: '4900 eur earns 980' });
  });

  it('counts the renewal, which only names the customer of Paddle', async () => {
    expect(await scene.deliver('transaction.completed--renewal', 'data.custom_data=null')).toBe('sale');
    const { body } = await scene.app.call('GET', `/api/sales?invoiceId=${RENEWAL}`);
    expect(body.data[0].attribution.matchedBy).toBe('processor_customer');
    expect(await scene.books()).toEqual({ [FIRST]: '4900 eur earns 980', [RENEWAL]: '4410 eur earns 882' });
  });

  it('reverses a part once the refund is approved, and restores it when Paddle reverses the refund', async () => {
    expect(await scene.deliver('adjustment.created--refund-pending')).toMatch(/^noted: .* is pending_approval$/);
    expect(await scene.deliver('adjustment.updated--refund-approved-partial')).toBe('reversal');
    // 20.00 of 58.31
    expect(await scene.books()).toMatchObject({ [FIRST]: '4900 eur earns 980, 336 reversed' });
    const again = 'event_id=evt_01k9w3000000000000again1';
    expect(await scene.deliver('adjustment.updated--refund-approved-partial', again)).toBe('duplicate: already known');
    const sameRefund = 'data.id=adj_01kb0d2e4f6g8h0j2k4m6n8pqr';
    expect(await scene.deliver('adjustment.updated--refund-rejected', sameRefund)).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [FIRST]: '4900 eur earns 980' });
  });

  it('notes a refund that Paddle rejects without having approved it', async () => {
    const refund = 'data.id=adj_01kb0d2e4f6g8h0j2k4m6n8asked';
    const asked = ['event_id=evt_01k9w300000000000000asked', refund];
    expect(await scene.deliver('adjustment.created--refund-pending', ...asked)).toMatch(/ is pending_approval$/);
    const rejected = (eventId: string) =>
      scene.deliver(
        'adjustment.updated--refund-rejected',
        `event_id=${eventId}`,
        refund,
        `data.transaction_id=${FIRST}`,
      );
    expect(await rejected('evt_01k9w30000000000rejected')).toBe('noted: a failed refund that restores nothing');
    expect(await rejected('evt_01k9w300000rejectedagain')).toBe('duplicate: already known');
    expect(await scene.books()).toMatchObject({ [FIRST]: '4900 eur earns 980' });
  });

  it('reverses everything for a full refund, and nothing for a credit', async () => {
    expect(await scene.deliver('adjustment.created--refund-approved-full')).toBe('reversal');
    expect(await scene.deliver('adjustment.created--credit')).toMatch(/^noted: .*, credit of .* is approved$/);
    expect(await scene.books()).toEqual({
      [FIRST]: '4900 eur earns 980',
      [RENEWAL]: '4410 eur earns 882, 882 reversed, refunded',
    });
  });

  it('counts an upgrade by the amount charged after the credit', async () => {
    expect(await scene.deliver('transaction.completed--upgrade-part-credit')).toBe('sale');
    expect(await scene.books()).toMatchObject({ [UPGRADE]: '5669 eur earns 1134' });
  });

  it('holds a disputed amount, reverses it when the dispute is lost, and restores it when Paddle reverses that', async () => {
    expect(await scene.deliver('adjustment.created--chargeback-warning')).toMatch(/^noted: .*chargeback_warning/);
    const opened = ['event_id=evt_01k9w3000000000000opened', 'data.status=pending_approval'];
    expect(await scene.deliver('adjustment.created--chargeback', ...opened)).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [UPGRADE]: '5669 eur earns 1134, 1134 held, disputed' });
    expect(await scene.deliver('adjustment.created--chargeback')).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [UPGRADE]: '5669 eur earns 1134, 1134 reversed, refunded' });
    expect(await scene.deliver('adjustment.created--chargeback-reverse')).toBe('reversal');
    expect(await scene.deliver('adjustment.updated--chargeback-reversed')).toBe('duplicate: already known');
    expect(await scene.books()).toMatchObject({ [UPGRADE]: '5669 eur earns 1134' });
  });

  it('notes that she cancels', async () => {
    expect(await scene.deliver('subscription.updated--cancel-scheduled')).toMatch(
      /^noted: .* is going to be canceled$/,
    );
    expect(await scene.deliver('subscription.canceled')).toMatch(/^noted: .* was canceled$/);
  });

  it('parks the first payment after the trial of an unknown customer until she signs up', async () => {
    expect(await scene.deliver('transaction.completed--trial')).toMatch(/^noted: .* charged nothing \(web\)$/);
    expect(await scene.deliver('transaction.completed--trial-converted')).toBe(
      'unattributed: no partner found by external_id user_5120, ' +
        'metadata_click_id clk_019a5b3c7d10Qm3Xo81VbZt5RkwPay2L, processor_customer sub_01ka5t1r2s3t4v5w6x7y8z9abc, ' +
        'processor_customer ctm_01ka5t0d1e2f3g4h5j6k7m8n9p; parked until its customer signs up',
    );
    await scene.referrer.lead('user_5120');
    expect(await scene.books()).toMatchObject({ txn_01kb9v5w7x9y1z3a5b7c9d1e3f: '4900 usd earns 980' });
  });

  it('counts no new card and no simulation, and keeps undocumented events', async () => {
    const before = await scene.books();
    expect(await scene.deliver('transaction.completed--payment-method-change')).toMatch(/^noted: .* charged nothing/);
    expect(await scene.deliver('transaction.completed--paid-by-credit')).toMatch(/^noted: .* charged nothing/);
    expect(await scene.deliver('transaction.completed--simulated')).toBe(
      'ignored: A simulated transaction.completed: the endpoint does not accept test events',
    );
    expect(await scene.deliver('wallet.topped_up')).toBe('unknown: Unknown event type wallet.topped_up');
    expect(await scene.books()).toEqual(before);
  });
});
