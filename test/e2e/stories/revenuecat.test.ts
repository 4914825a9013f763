import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../helpers/databases.ts';
import { unique } from '../../helpers/story.ts';
import { createScene, type Scene } from './scene.ts';

const FIRST = 'APP_STORE:380001204417733';
const RENEWAL = 'APP_STORE:380001219800154';
const AT_STRIPE = 'STRIPE:in_1SQzvR2eZbRefbr1dgeA01';

/** An app without a login: only the store's anonymous subscriber is known. */
const ANONYMOUS = [
  'event.subscriber_attributes={}',
  'event.app_user_id=$RCAnonymousID:5f1c9e0b7a6d4c2f8e3b1a0d9c8f7e6a',
  'event.aliases=[]',
];

describe.each(engines)('the story of Tomas, who subscribes in the App Store, on %s', (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await createScene(engine, 'revenuecat');
  });
  afterAll(() => scene.app.close());

  it('counts his first purchase after his sign-up, once', async () => {
    await scene.referrer.lead('user_5101');
    expect(await scene.deliver('INITIAL_PURCHASE')).toBe('sale');
    expect(await scene.deliver('INITIAL_PURCHASE')).toBe('duplicate: seen before');
    const again = 'event.id=6F0C2B7E-41D9-4A53-9C1E-000000000901';
    expect(await scene.deliver('INITIAL_PURCHASE', again)).toBe('duplicate: this payment is already sale sal_…');
    expect(await scene.books()).toEqual({ [FIRST]: '799 eur earns 160' });
  });

  it('counts the renewal, which only names the subscriber', async () => {
    expect(await scene.deliver('RENEWAL', ...ANONYMOUS)).toBe('sale');
    const { body } = await scene.app.call('GET', `/api/sales?invoiceId=${RENEWAL}`);
    expect(body.data[0].attribution.matchedBy).toBe('processor_customer');
    expect(await scene.books()).toEqual({ [FIRST]: '799 eur earns 160', [RENEWAL]: '799 eur earns 160' });
  });

  it('reverses a refund once, and restores it when the store reverses it', async () => {
    expect(await scene.deliver('CANCELLATION--refund')).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '799 eur earns 160, 160 reversed, refunded' });
    const again = 'event.id=6F0C2B7E-41D9-4A53-9C1E-000000000902';
    expect(await scene.deliver('CANCELLATION--refund', again)).toBe('duplicate: already known');
    expect(await scene.deliver('REFUND_REVERSED')).toBe('reversal');
    expect(await scene.books()).toMatchObject({ [RENEWAL]: '799 eur earns 160' });
  });

  it('reverses nothing when support cancels without a refund, and guesses no amount', async () => {
    const before = await scene.books();
    expect(await scene.deliver('CANCELLATION--support-without-refund')).toMatch(/^noted: .* paid nothing back$/);
    expect(await scene.deliver('CANCELLATION--refund-of-unknown-price')).toMatch(/^unknown: .* how much was refunded$/);
    expect(await scene.deliver('PRODUCT_CHANGE')).toMatch(/^noted: A change of product/);
    expect(await scene.books()).toEqual(before);
  });

  it('notes that he cancels', async () => {
    expect(await scene.deliver('CANCELLATION')).toMatch(/^noted: .* was cancelled: UNSUBSCRIBE$/);
    expect(await scene.deliver('EXPIRATION')).toMatch(/^noted: .* expired$/);
  });

  it('parks the first payment after the trial of an unknown customer until she signs up', async () => {
    expect(await scene.deliver('INITIAL_PURCHASE--trial')).toMatch(/^noted: .*a trial began$/);
    expect(await scene.deliver('RENEWAL--trial-conversion')).toBe(
      'unattributed: no partner found by external_id user_5202, processor_customer GPA.3371-9021-5567-18840, ' +
        'processor_customer user_5202, email sana.rahimi@example.com; parked until its customer signs up; identity learned',
    );
    await scene.referrer.lead('user_5202');
    expect(await scene.books()).toMatchObject({ 'PLAY_STORE:GPA.3371-9021-5567-18840..0': '4999 usd earns 1000' });
  });

  it.each([
    ['before', 'TRANSFER--from-anonymous', 'transferred_from', 'transferred_to.0'],
    ['after', 'TRANSFER--from-anonymous', 'transferred_from', 'transferred_to.0'],
    ['before', 'PURCHASE_REDEEMED', 'redeemed_from', 'redeemed_by.1'],
    ['after', 'PURCHASE_REDEEMED', 'redeemed_from', 'redeemed_by.1'],
  ])(
    'finds whose an anonymous purchase is when it moves to a user %s the purchase, by %s',
    async (when, moved, from, to) => {
      const [user, anonymous, transaction] = [unique('user'), `$RCAnonymousID:${unique('a')}`, unique('tx')];
      await scene.referrer.lead(user);
      const purchase = () =>
        scene.deliver(
          'NON_RENEWING_PURCHASE',
          `event.id=${unique('evt')}`,
          `event.transaction_id=${transaction}`,
          `event.app_user_id=${anonymous}`,
          `event.original_app_user_id=${anonymous}`,
          'event.aliases=[]',
          'event.subscriber_attributes={}',
        );
      const transfer = () =>
        scene.deliver(moved, `event.id=${unique('evt')}`, `event.${from}.0=${anonymous}`, `event.${to}=${user}`);
      const outcomes = when === 'before' ? [await transfer(), await purchase()] : [await purchase(), await transfer()];
      expect(outcomes.map((outcome) => outcome.split(':')[0])).toEqual(
        when === 'before' ? ['noted', 'sale'] : ['unattributed', 'noted'],
      );
      const { body } = await scene.app.call('GET', `/api/sales?customerExternalId=${user}`);
      expect(body.data).toMatchObject([{ attribution: { matchedBy: 'processor_customer' } }]);
      expect(body.data[0].invoiceId).toContain(transaction);
    },
  );

  it.each(['SUBSCRIBER_ALIAS', 'NON_RENEWING_PURCHASE', 'RENEWAL'])(
    'finds whose an anonymous purchase is by a later %s of the user whom RevenueCat merged it into, in any order',
    async (type) => {
      const orders = ['lead purchase merged', 'lead merged purchase', 'purchase lead merged']
        .concat(['purchase merged lead', 'merged lead purchase', 'merged purchase lead'])
        .map((order) => order.split(' '));
      for (const order of orders) {
        const [user, anonymous, transaction] = [unique('user'), `$RCAnonymousID:${unique('a')}`, unique('tx')];
        const deliver = (ids: [string, string, string[]], ...changes: string[]) =>
          scene.deliver(
            'NON_RENEWING_PURCHASE',
            `event.id=${unique('evt')}`,
            `event.app_user_id=${ids[0]}`,
            `event.original_app_user_id=${ids[1]}`,
            `event.aliases=${JSON.stringify(ids[2])}`,
            'event.subscriber_attributes={}',
            ...changes,
          );
        const arrivals: Record<string, () => Promise<unknown>> = {
          lead: () => scene.referrer.lead(user),
          purchase: () => deliver([anonymous, anonymous, [anonymous]], `event.transaction_id=${transaction}`),
          merged: () =>
            deliver([user, user, [user, anonymous]], `event.type=${type}`, `event.transaction_id=${unique('tx')}`),
        };
        for (const arrival of order) await arrivals[arrival]?.();
        const { body } = await scene.app.call('GET', `/api/sales?customerExternalId=${user}`);
        const bought = body.data.filter(({ invoiceId }: { invoiceId: string }) =>
          invoiceId.endsWith(`:${transaction}`),
        );
        expect(bought, order.join()).toHaveLength(1);
      }
    },
  );

  it('counts no test, no sandbox and nothing free, and keeps undocumented events', async () => {
    const before = await scene.books();
    expect(await scene.deliver('TEST')).toMatch(/^ignored: A test of RevenueCat's dashboard/);
    expect(await scene.deliver('INITIAL_PURCHASE--sandbox')).toMatch(/^ignored: A sandbox purchase/);
    expect(await scene.deliver('INITIAL_PURCHASE--promotional')).toMatch(/^ignored: Purchases of store PROMOTIONAL/);
    expect(await scene.deliver('INITIAL_PURCHASE--family-share')).toMatch(/^ignored: Family sharing/);
    expect(await scene.deliver('LOYALTY_GRANT')).toBe('unknown: Unknown event type "LOYALTY_GRANT"');
    expect(await scene.books()).toEqual(before);
  });

  it('leaves purchases of a store to the endpoint of its own processor, unless this endpoint counts them', async () => {
    expect(await scene.deliver('INITIAL_PURCHASE--stripe-store')).toBe(
      'ignored: Purchases of store STRIPE are not counted (countStores)',
    );
    expect(await scene.books()).not.toHaveProperty([AT_STRIPE]);
    const countStores = ['APP_STORE', 'STRIPE'];
    const path = `/api/webhook-endpoints/${scene.endpointId}`;
    expect((await scene.app.call('PATCH', path, { body: { countStores } })).status).toBe(200);
    const ignored = await scene.app.call('GET', '/api/deliveries?outcome=ignored&limit=1');
    const retried = await scene.app.call('POST', `/api/deliveries/${ignored.body.data[0].id}/retry`);
    expect(retried.body).toMatchObject({ outcome: 'sale' });
    expect(await scene.books()).toMatchObject({ [AT_STRIPE]: '1200 usd earns 240' });
    const elsewhere = 'event.id=6F0C2B7E-41D9-4A53-9C1E-000000000903';
    expect(await scene.deliver('RENEWAL--tax-not-known', elsewhere)).toMatch(/^ignored: Purchases of store PLAY_STORE/);
  });

  /** A payment of a subscription at Stripe: all have the same transaction id. Earlier versions did not read the number. */
  function atStripe(subscription: string, paidAt: number, number?: number): string[] {
    const [item, id] = [`transaction_id=${subscription}`, `id=${unique('evt')}`];
    const members = ['store=STRIPE', item, id, `purchased_at_ms=${1_795_773_601_000 + paidAt}`];
    return [...members, ...(number === undefined ? [] : [`renewal_number=${number}`])].map(
      (member) => `event.${member}`,
    );
  }

  it('counts and refunds each payment of a subscription at Stripe, although all have the same transaction id', async () => {
    for (const number of [1, 2, 3]) {
      expect(await scene.deliver('RENEWAL', ...atStripe('si_Rk8vQ2mXw4', number, number))).toBe('sale');
    }
    expect(await scene.deliver('CANCELLATION--refund', ...atStripe('si_Rk8vQ2mXw4', 3, 3))).toBe('reversal');
    expect(await scene.books()).toMatchObject({
      'STRIPE:si_Rk8vQ2mXw4': '799 eur earns 160',
      'STRIPE:si_Rk8vQ2mXw4:2': '799 eur earns 160',
      'STRIPE:si_Rk8vQ2mXw4:3': '799 eur earns 160, 160 reversed, refunded',
    });
  });

  it('recognizes the one payment of such a subscription that an earlier version stored, whatever its number', async () => {
    const subscription = 'sub_1SQzvR2eZb';
    expect(await scene.deliver('RENEWAL', ...atStripe(subscription, 2))).toBe('sale');
    expect(await scene.deliver('RENEWAL', ...atStripe(subscription, 2, 2))).toMatch(
      /^duplicate: this payment is already/,
    );
    expect(await scene.deliver('RENEWAL', ...atStripe(subscription, 3, 3))).toBe('sale');
    expect(await scene.deliver('CANCELLATION--refund', ...atStripe(subscription, 2, 2))).toBe('reversal');
    const books = Object.entries(await scene.books()).filter(([id]) => id.startsWith(`STRIPE:${subscription}`));
    expect(Object.fromEntries(books)).toEqual({
      [`STRIPE:${subscription}`]: '799 eur earns 160, 160 reversed, refunded',
      [`STRIPE:${subscription}:3`]: '799 eur earns 160',
    });
  });
});
