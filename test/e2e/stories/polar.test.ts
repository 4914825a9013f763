import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../helpers/databases.ts';
import { createScene, type Scene } from './scene.ts';

const FIRST = '81c6a3f0-2d5e-47b9-9a10-4e7c8b2d6f31';
const RENEWAL = 'b94e07d2-61af-4c38-8e5b-0d2f9a7c1e64';
const UPGRADE = 'd03f8b51-9c2e-4a76-b7d4-5e1a6c809f27';

/** Every member of an order that could contain the merchant's id of the customer. */
const WITHOUT_METADATA = ['data.metadata={}', 'data.subscription.metadata={}', 'data.customer.external_id=null'];

describe.each(engines)('the story of Priya, who subscribes through Polar, on %s', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene(engine, 'polar');
  });
  afterAll(() => scene.app.close());

  it('starts with her sign-up; Polar reports her ids', async () => {
    await scene.referrer.lead('user_4711');
    expect(await scene.deliver('customer.created')).toBe('noted: identity learned');
    expect(await scene.deliver('checkout.updated')).toMatch(/^ignored: .* moves no money/);
    expect(await scene.deliver('order.created--already-paid')).toMatch(/order.paid and order.refunded count$/);
    expect(await scene.books()).toEqual({});
  });

  it('counts her first order once, even when another delivery reports it', async () => {
    expect(await scene.deliver('order.paid--subscription-first')).toBe('sale');
    expect(await scene.deliver('order.paid--subscription-first')).toBe('duplicate: seen before');
    const later = 'timestamp=2026-11-04T09:00:00.000000Z';
    expect(await scene.deliver('order.paid--subscription-first', later)).toBe(
      'duplicate: this payment is already sale sal_…',
    );
    expect(await scene.books()).toEqual({ [FIRST]: '2900 usd earns 580' });
  });

  it('counts the renewal, which only names the customer of Polar', async () => {
    expect(await scene.deliver('order.created--renewal-pending')).toMatch(/^noted: .* is pending: /);
    expect(await scene.deliver('order.paid--renewal', ...WITHOUT_METADATA)).toBe('sale');
    expect(await scene.deliver('order.updated')).toMatch(/^noted: .* is paid: /);
    const { body } = await scene.app.call('GET', `/api/sales?invoiceId=${RENEWAL}`);
    expect(body.data[0].attribution.matchedBy).toBe('processor_customer');
    expect(await scene.books()).toEqual({ [FIRST]: '2900 usd earns 580', [RENEWAL]: '2900 usd earns 580' });
  });

  it("reverses a part once, although both the refund and the order's total report it", async () => {
    expect(await scene.deliver('refund.created--pending')).toMatch(
      /^noted: .* is pending: it counts once it succeeded$/,
    );
    expect(await scene.deliver('order.refunded--partial')).toBe('reversal');
    expect(await scene.deliver('refund.updated--succeeded')).toBe('duplicate: already known');
    // 12.10 of 35.09
    expect(await scene.books()).toMatchObject({ [FIRST]: '2900 usd earns 580, 200 reversed' });
  });

  it("reverses everything by the order's total, and restores a failed refund", async () => {
    expect(await scene.deliver('order.refunded--full', `data.id=${FIRST}`)).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [FIRST]: '2900 usd earns 580, 580 reversed, refunded' });
    const refund = ['data.id=4e91b7c0-a25d-43f8-8b16-7c0d9e2f5a38', 'data.amount=1000', 'data.tax_amount=210'];
    // the order's total of 10 December excludes the refund that failed before
    expect(await scene.deliver('refund.updated--failed', ...refund)).toBe('duplicate: already known');
    const later = 'timestamp=2026-12-11T13:00:00.000000Z';
    expect(await scene.deliver('refund.updated--failed', ...refund, later)).toBe('reversal');
    // 22.99 of 35.09 was refunded
    expect(await scene.books()).toMatchObject({ [FIRST]: '2900 usd earns 580, 380 reversed' });
  });

  it('reverses a whole order once, whichever of the two kinds of events comes first', async () => {
    expect(await scene.deliver('refund.created--full')).toBe('reversal');
    expect(await scene.deliver('order.refunded--full')).toBe('duplicate: already known');
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '2900 usd earns 580, 580 reversed, refunded' });
  });

  it('reverses the refund of a dispute once', async () => {
    expect(await scene.deliver('order.paid--upgrade-part-balance')).toBe('sale');
    expect(await scene.books()).toMatchObject({ [UPGRADE]: '4760 usd earns 952' });
    expect(await scene.deliver('refund.created--dispute-prevention')).toMatch(/^reversal: .* to prevent a dispute$/);
    expect(await scene.deliver('refund.updated--dispute')).toMatch(/^duplicate: .* settles the dispute /);
    expect(await scene.books()).toMatchObject({ [UPGRADE]: '4760 usd earns 952, 952 reversed, refunded' });
  });

  it('notes that she cancels', async () => {
    expect(await scene.deliver('subscription.canceled')).toMatch(/^noted: .* may run to the end of its period$/);
    expect(await scene.deliver('subscription.revoked')).toMatch(/^noted: .* has ended$/);
  });

  it('parks the order of an unknown customer until he signs up', async () => {
    expect(await scene.deliver('order.paid--one-time-discount')).toBe(
      'unattributed: no partner found by external_id 90210, processor_customer f17d0a94-3b62-4e85-bc01-8d5e9f2a7c36, ' +
        'discount_code NADIA20, discount_code 2b7e4c19-d5a0-4f63-8c92-1e6f0a3b7d58, email tomas.novak@example.com; ' +
        'parked until its customer signs up',
    );
    await scene.referrer.lead('90210');
    expect(await scene.books()).toMatchObject({ '40e4f7a2-5b8c-4d13-9f60-3a7b1c2d8e94': '7920 usd earns 1584' });
  });

  it('counts no trial and nothing paid from a balance, and keeps undocumented events', async () => {
    const before = await scene.books();
    expect(await scene.deliver('order.paid--trial')).toMatch(/^noted: .* charged nothing \(subscription_create\)$/);
    expect(await scene.deliver('order.paid--wholly-from-balance')).toMatch(/^noted: .* charged nothing/);
    expect(await scene.deliver('dispute.created')).toBe('unknown: Unknown event type dispute.created');
    expect(await scene.deliver('refund.updated--unknown-status')).toMatch(/^unknown: Unknown status held/);
    expect(await scene.books()).toEqual(before);
  });
});
