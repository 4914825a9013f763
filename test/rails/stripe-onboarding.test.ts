import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { client } from '../../src/rails/stripe/client.ts';
import { FAULTS, STRIPE_KEY, type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { stripeError } from '../helpers/stripe-connect-objects.ts';
import { accessTo } from './stripe-access.ts';

const OPEN = 'POST /v1/accounts';
const LINK = 'POST /v1/account_links';
const ANA = { id: `par_${'a'.repeat(32)}`, email: 'ana@example.com', country: 'DE' };
const URLS = { returnUrl: 'https://shop.example/portal?done', refreshUrl: 'https://shop.example/portal?again' };

let stripe: StripeConnect;
beforeEach(async () => {
  stripe = await startStripeConnect();
});
afterEach(() => stripe.close());

const open = (fields: Partial<Omit<typeof ANA, 'country'> & { country: string | null }> = {}) =>
  client.openAccount(accessTo(stripe), { ...ANA, ...fields });

describe('an account that is opened for a partner', () => {
  it('receives transfers, and has Stripe’s Express Dashboard', async () => {
    const id = await open();
    expect(stripe.accounts.get(id)).toMatchObject({
      email: 'ana@example.com',
      country: 'DE',
      metadata: { refbridgePartnerId: ANA.id },
      controller: {
        'fees.payer': 'application',
        'losses.payments': 'application',
        requirement_collection: 'stripe',
        'stripe_dashboard.type': 'express',
      },
    });
    expect(stripe.requests[0]?.body).toMatchObject({ 'capabilities[transfers][requested]': 'true' });
    expect(stripe.requests[0]?.body).not.toHaveProperty('type');
  });

  it('is in the provider’s default country if none is known', async () => {
    expect(stripe.accounts.get(await open({ country: null }))?.country).toBe('US');
    expect(stripe.requests[0]?.body).not.toHaveProperty('country');
  });

  it('is the same when it is opened again', async () => {
    stripe.fault(OPEN, FAULTS.dropAfter);
    await expect(open()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const id = await open();
    expect(await open()).toBe(id);
    expect([...stripe.accounts.keys()]).toEqual([id]);
  });

  it('may be opened with another address, which another key belongs to', async () => {
    const ids = [await open(), await open({ email: 'ana@example.org' }), await open({ country: null })];
    expect(new Set(ids).size).toBe(3);
    const keys = stripe.requests.map(({ headers }) => String(headers['idempotency-key']));
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^account_par_a{32}_[0-9a-f]{32}$/);
  });

  it('is opened once Stripe’s reason to refuse it is gone, and then stays the same', async () => {
    stripe.platform.accountRefusal = 'Please review the responsibilities of managing losses.';
    const message = 'Stripe refuses: Please review the responsibilities of managing losses';
    for (let count = 0; count < 3; count += 1) {
      await expect(open()).rejects.toMatchObject({ code: 'INVALID_STATE', message });
    }
    stripe.platform.accountRefusal = null;
    const id = await open();
    expect(await open()).toBe(id);
    expect([...stripe.accounts.keys()]).toEqual([id]);
  });

  it('is opened although Stripe repeats a failure of its own', async () => {
    stripe.fault(OPEN, FAULTS.errorOfExecution);
    await expect(open()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'Stripe answered with status 500' });
    const id = await open();
    expect(await open()).toBe(id);
  });

  it('is not tried forever', async () => {
    stripe.fault(OPEN, FAULTS.answer({ ...stripeError(400, 'No'), headers: { 'idempotent-replayed': 'true' } }), 1_000);
    await expect(open()).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(stripe.requests).toHaveLength(20);
  });

  it.each([400, 401, 402, 403])('is refused with Stripe’s reason: %d', async (status) => {
    stripe.fault(OPEN, FAULTS.answer(stripeError(status, `Not with ${STRIPE_KEY}.`)));
    const message = 'Stripe refuses: Not with …';
    await expect(open()).rejects.toMatchObject({ code: 'INVALID_STATE', message });
    expect(stripe.requests).toHaveLength(1);
  });

  it.each([FAULTS.rateLimited('7'), FAULTS.conflict, FAULTS.unavailable, FAULTS.drop, FAULTS.cut, FAULTS.notJson])(
    'is unavailable otherwise: %o',
    async (fault) => {
      stripe.fault(OPEN, fault);
      await expect(open()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(stripe.requests).toHaveLength(1);
    },
  );
});

describe('a link to sign up at Stripe', () => {
  const link = (account: string) => client.onboardingLink(accessTo(stripe), account, URLS);

  it('is of the account, and says when it expires', async () => {
    const id = await open();
    const before = Date.now();
    const { url, expires } = await link(id);
    expect(stripe.platform.links.get(url)).toBe(id);
    expect(expires).toBeGreaterThan(before);
    expect(expires).toBeLessThanOrEqual(Date.now() + 300_000);
    expect(stripe.requests.at(-1)?.body).toEqual({
      account: id,
      return_url: URLS.returnUrl,
      refresh_url: URLS.refreshUrl,
      type: 'account_onboarding',
    });
  });

  it('is another one each time, because each can be used once', async () => {
    const id = await open();
    expect((await link(id)).url).not.toBe((await link(id)).url);
  });

  it('is refused with Stripe’s reason', async () => {
    const message = "Stripe refuses: No such account: 'acct_…Else'";
    await expect(link('acct_SomebodyElse')).rejects.toMatchObject({ code: 'INVALID_STATE', message });
  });

  it.each(['javascript:alert(1)', 'http://connect.stripe.com/', ''])('leads nowhere else: %s', async (url) => {
    stripe.fault(LINK, FAULTS.answer({ status: 200, body: { object: 'account_link', url, expires_at: 1 } }));
    await expect(link('acct_12345678')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('is unavailable while Stripe is', async () => {
    stripe.fault(LINK, FAULTS.rateLimited('7'));
    await expect(link('acct_12345678')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 7 });
  });
});
