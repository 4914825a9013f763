import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../helpers/databases.ts';
import { createScene, type Scene } from './scene.ts';

const FIRST = '6f2c1d8e-94b7-4a05-8c3e-17d5b2a960f4';
const RENEWAL = 'subscription-invoices:51977';
const UPGRADE = 'subscription-invoices:52044';
const ICONS = 'b81e5a37-0c46-4d92-a7f1-3e9c2d6048b5';
const ALREADY_A_SALE = 'duplicate: this payment is already sale sal_…';

describe.each(engines)('the story of Kaia, who subscribes through Lemon Squeezy, on %s', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene(engine, 'lemon-squeezy');
  });
  afterAll(() => scene.app.close());

  it('counts her first payment once: as an order, not as the invoice of her subscription', async () => {
    await scene.referrer.lead('user_7201');
    expect(await scene.deliver('order_created--subscription-first')).toBe('sale');
    expect(await scene.deliver('order_created--subscription-first')).toBe('duplicate: seen before');
    const later = 'data.attributes.updated_at=2026-10-02T08:15:44.000000Z';
    expect(await scene.deliver('order_created--subscription-first', later)).toBe(ALREADY_A_SALE);
    expect(await scene.deliver('subscription_created')).toMatch(/^noted: /);
    expect(await scene.deliver('subscription_payment_success--initial')).toMatch(/^noted: .*its order counts$/);
    expect(await scene.books()).toEqual({ [FIRST]: '2900 eur earns 580' });
  });

  it('counts the renewal, which only names the customer, once for both events that report it', async () => {
    expect(await scene.deliver('subscription_payment_failed')).toMatch(/^noted: .* could not be paid \(pending\)$/);
    expect(await scene.deliver('subscription_payment_recovered')).toBe('sale');
    expect(await scene.deliver('subscription_payment_success--renewal')).toBe(ALREADY_A_SALE);
    const { body } = await scene.app.call('GET', `/api/sales?invoiceId=${encodeURIComponent(RENEWAL)}`);
    expect(body.data[0].attribution.matchedBy).toBe('processor_customer');
    expect(body.data[0].eventName).toBe('Renewal');
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '2900 eur earns 580' });
  });

  it('counts what an upgrade costs, and nothing when it costs nothing', async () => {
    expect(await scene.deliver('subscription_payment_success--upgrade')).toBe('sale');
    expect(await scene.deliver('subscription_payment_success--upgrade-covered')).toMatch(
      /charged nothing \(updated\)$/,
    );
    expect(await scene.books()).toMatchObject({ [UPGRADE]: '1000 eur earns 200' });
  });

  it('reverses a part of the renewal, then all of it', async () => {
    expect(await scene.deliver('subscription_payment_refunded--partial')).toBe('reversal');
    // 11.90 of 34.51
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '2900 eur earns 580, 200 reversed' });
    expect(await scene.deliver('subscription_payment_refunded--full')).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '2900 eur earns 580, 580 reversed, refunded' });
  });

  it('reverses the first payment once, although its invoice and its order both report the refund', async () => {
    expect(await scene.deliver('subscription_payment_refunded--initial')).toBe('reversal');
    expect(await scene.deliver('order_refunded--subscription-first')).toBe('duplicate: already known');
    expect(await scene.books()).toMatchObject({ [FIRST]: '2900 eur earns 580, 580 reversed, refunded' });
  });

  it("counts a guest's order by the click, and reverses its refunds", async () => {
    const click = `meta.custom_data.svc_id=${await scene.referrer.click()}`;
    expect(await scene.deliver('order_created--one-time-discount', click)).toBe('sale');
    expect(await scene.books()).toMatchObject({ [ICONS]: '4410 usd earns 882' });
    expect(await scene.deliver('order_refunded--partial')).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [ICONS]: '4410 usd earns 882, 400 reversed' });
    expect(await scene.deliver('order_refunded--full')).toBe('reversal');
    expect(await scene.deliver('order_refunded--older-without-amount')).toBe('duplicate: already known');
    expect(await scene.books()).toMatchObject({ [ICONS]: '4410 usd earns 882, 882 reversed, refunded' });
  });

  it('notes that she cancels; counts no test order, no trial and nothing undocumented', async () => {
    const before = await scene.books();
    expect(await scene.deliver('subscription_cancelled')).toMatch(/runs to the end of its period$/);
    expect(await scene.deliver('order_created--test')).toMatch(/^ignored: An event of the test mode/);
    expect(await scene.deliver('order_created--trial')).toMatch(/charged nothing$/);
    expect(await scene.deliver('order_created--pending')).toMatch(/is not paid \(pending\)$/);
    expect(await scene.deliver('order_created--yen-in-hundredths')).toMatch(/^unknown: .* in JPY$/);
    expect(await scene.deliver('order_gilded')).toBe('unknown: Unknown event order_gilded');
    expect(await scene.books()).toEqual(before);
  });
});

/** Every order in which the reports of a first payment and its refund may arrive. */
const REPORTS = [
  'order_created--subscription-first',
  'subscription_created',
  'subscription_payment_success--initial',
  'subscription_payment_refunded--initial',
];

describe.each(engines)('a first payment and its refund, on %s', (engine) => {
  it.each([
    ['as they happened', REPORTS],
    ['in reverse', REPORTS.toReversed()],
    ['the invoice first', [REPORTS[2], REPORTS[3], REPORTS[1], REPORTS[0]]],
    ['without the event of the subscription', [REPORTS[2], REPORTS[0], REPORTS[3]]],
    ['the order last, without the invoice', [REPORTS[3], REPORTS[1], REPORTS[0]]],
  ])('count once and are reversed in full, %s', async (_order, reports) => {
    const scene = await createScene(engine, 'lemon-squeezy');
    await scene.referrer.lead('user_7201');
    for (const name of reports) await scene.deliver(name ?? '');
    expect(await scene.books()).toEqual({ [FIRST]: '2900 eur earns 580, 580 reversed, refunded' });
    await scene.app.close();
  });
});
