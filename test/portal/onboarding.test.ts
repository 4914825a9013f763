import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { expectError } from '../helpers/expect-error.ts';
import { createReferrer, unique } from '../helpers/story.ts';
import { FAULTS, STRIPE_KEY, type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { StripePlatform } from '../helpers/stripe-connect-objects.ts';

const PATH = '/api/embed/referrals/payout-onboarding';
const DETAILS_PATH = '/api/embed/referrals/payout-details';

describe.each(engines)('a partner who signs up at Stripe from the portal, on %s', (engine) => {
  let app: TestApp;
  let stripe: StripeConnect;
  let partnerId: string;
  let email: string;
  let key: string;
  beforeAll(async () => {
    [app, stripe] = await Promise.all([createTestApp(engine), startStripeConnect()]);
  });
  beforeEach(async () => {
    const body = { secretKey: STRIPE_KEY, apiUrl: stripe.url };
    expect((await app.call('PUT', '/api/rails/stripe/connection', { body })).status).toBe(200);
    email = `${unique('ana')}@example.com`;
    partnerId = (await createReferrer(app, { name: 'Ana Alvarez', email })).partnerId;
    key = (await app.call('POST', '/api/embed/token', { body: { enrollmentId: partnerId } })).body.publicToken;
  });
  afterAll(async () => {
    await app.close();
    await stripe.close();
  });

  const start = (country: string | null = 'DE') =>
    app.call('POST', PATH, { key, body: { rail: 'stripe', ...(country === null ? {} : { country }) } });
  const ask = () => app.call('GET', PATH, { key });
  const put = (body: object) => app.call('PUT', DETAILS_PATH, { key, body });
  const details = async () => (await app.call('GET', DETAILS_PATH, { key })).body;
  const accounts = () => [...stripe.accounts.values()].filter((account) => account.email === email);
  const accountOf = ({ body }: Answer) => stripe.platform.links.get(body.url);
  const masked = (id = '') => ({ rail: 'stripe', account: `acct_…${id.slice(-4)}` });
  /** Who stored the partner's details, by the audit log. */
  const actors = async () => {
    const rows = await app.service.database.read((tx) =>
      tx.all<{ name: string; changes: string }>(
        `SELECT actor_name AS name, changes FROM audit_log
         WHERE account_id = @accountId AND resource_id = @id AND action = 'partner.set_payout_details' ORDER BY id`,
        { accountId: app.accountId, id: partnerId },
      ),
    );
    expect(JSON.stringify(rows)).not.toContain('acct_');
    return rows.map(({ name }) => name);
  };

  it('gets a link, is paid by Stripe from then on, and learns when Stripe would pay', async () => {
    expect(await details()).toEqual({ payoutDetails: null, transferRails: ['stripe'] });
    expect((await ask()).body).toEqual({ rail: null, isReady: false });
    const first = await start('de');
    expect(first.body).toEqual({
      url: expect.stringMatching(/^https:\/\/connect\.stripe\.com\//),
      expires: expect.any(String),
    });
    expect(first.headers.get('cache-control')).toBe('no-store');
    const [account] = accounts();
    expect(account).toMatchObject({ country: 'DE', metadata: { refbridgePartnerId: partnerId } });
    expect(accountOf(first)).toBe(account?.id);
    const link = stripe.requests.findLast(({ path }) => path === '/v1/account_links');
    expect(link?.body).toMatchObject({
      return_url: 'https://refer.example.com/portal/payout-onboarding',
      refresh_url: 'https://refer.example.com/portal/payout-onboarding?expired=1',
    });
    expect(await details()).toEqual({ payoutDetails: masked(account?.id), transferRails: ['stripe'] });
    // what is wrong is described for operators
    expect((await ask()).body).toEqual({ rail: 'stripe', isReady: false });
    const again = await start(null);
    expect([accountOf(again), again.body.url === first.body.url]).toEqual([account?.id, false]);
    stripe.platform.finishOnboarding(account?.id ?? '');
    expect((await ask()).body).toEqual({ rail: 'stripe', isReady: true });
    expect(accounts()).toHaveLength(1);
    expect(await actors()).toEqual([expect.stringMatching(/^Ana Alvarez, embed token of key_/)]);
  });

  it('has one account after two presses at the same time, and a link to it', async () => {
    stripe.fault('POST /v1/accounts', FAULTS.delay(200));
    const answers = await Promise.all([start(), start()]);
    // Stripe refuses the second as long as the first is under way
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503]);
    for (const answer of [...answers, await start()]) {
      if (answer.status === 200) expect(accountOf(answer)).toBe(accounts()[0]?.id);
    }
    expect(accounts()).toHaveLength(1);
    expect(await actors()).toHaveLength(1);
  });

  it('gets a link to the account that is stored, or to none, when two are opened at once for different countries', async () => {
    stripe.fault('POST /v1/account_links', FAULTS.delay(200), 2);
    const answers = await Promise.all([start('DE'), start('FR')]);
    const [first, second] = answers;
    const [made, refused] = first.status === 200 ? [first, second] : [second, first];
    expect(made.status, made.text).toBe(200);
    expect(masked(accountOf(made))).toEqual((await details()).payoutDetails);
    expectError(refused, 409, 'CONFLICT');
    const country = made === first ? 'FR' : 'DE';
    expect(refused.body.error.message).toMatch(new RegExp(`another country .* replace it by one in ${country}$`));
    expect(await actors()).toHaveLength(1);
    // asked again, it is what the partner wants
    const again = await start(country);
    expect(stripe.accounts.get(accountOf(again) ?? '')).toMatchObject({ country });
    expect(masked(accountOf(again))).toEqual((await details()).payoutDetails);
  });

  it('is paid as chosen last, when that was while Stripe made the link', async () => {
    stripe.fault('POST /v1/account_links', FAULTS.delay(300));
    const starting = start();
    await expect.poll(() => accounts().length).toBe(1);
    expect((await put({ rail: 'paypal', email: 'ana@example.com' })).status).toBe(200);
    expectError(await starting, 409, 'CONFLICT');
    expect((await details()).payoutDetails.rail).toBe('paypal');
    expect(await actors()).toHaveLength(1);
  });

  it.each([
    ['opens no account', 'POST /v1/accounts'],
    ['makes no link', 'POST /v1/account_links'],
  ])('is paid as before when Stripe %s', async (_, target) => {
    const paypal = { rail: 'paypal', email: 'ana@example.com' };
    await put(paypal);
    const stored = await details();
    stripe.fault(target, FAULTS.unavailable);
    expectError(await start(), 503, 'UNAVAILABLE');
    expect(await details()).toEqual(stored);
    const body = { error: { type: 'invalid_request_error', message: `No account for ${STRIPE_KEY}.` } };
    stripe.fault(target, FAULTS.answer({ status: 400, body }));
    const refused = await start();
    expectError(refused, 409, 'INVALID_STATE');
    expect(refused.body.error.message).toBe('Stripe refuses: No account for …');
    expect(await details()).toEqual(stored);
    expect(await actors()).toHaveLength(1);
    // nothing stands in the way of another press
    expect((await start()).status).toBe(200);
    expect(accounts()).toHaveLength(1);
    expect((await details()).payoutDetails.rail).toBe('stripe');
  });

  it('chose a wrong country: another one opens another account, in place of the first; the same one does not', async () => {
    const first = accountOf(await start('DE'));
    expect(accountOf(await start('DE'))).toBe(first);
    const second = accountOf(await start('at'));
    expect(stripe.accounts.get(second ?? '')).toMatchObject({ country: 'AT', email });
    expect(second).not.toBe(first);
    expect((await details()).payoutDetails).toEqual(masked(second));
    for (const country of [null, 'AT']) expect(accountOf(await start(country))).toBe(second);
    expect(accounts()).toHaveLength(2);
    expect(await actors()).toHaveLength(2);
  });

  it('is asked for a country when another Stripe account is connected, as an account has to be opened there', async () => {
    expectError(await start(null), 400, 'VALIDATION_ERROR');
    await start('AT');
    const other = new StripePlatform('acct_platform2');
    stripe.keys.set('sk_test_platform2', other);
    const body = { secretKey: 'sk_test_platform2', apiUrl: stripe.url };
    expect((await app.call('PUT', '/api/rails/stripe/connection', { body })).status).toBe(200);
    const refused = await start(null);
    expectError(refused, 400, 'VALIDATION_ERROR');
    expect(refused.body.error.details).toEqual([{ path: 'country', message: expect.stringContaining('is required') }]);
    expect(other.accounts.size).toBe(0);
    expect((await start('AT')).status).toBe(200);
    expect([...other.accounts.values()].map(({ country }) => country)).toEqual(['AT']);
    expect((await start(null)).status).toBe(200);
    expect(other.accounts.size).toBe(1);
  });

  it('is told to choose another way when Stripe is not connected', async () => {
    await start();
    expect((await app.call('DELETE', '/api/rails/stripe/connection')).status).toBe(204);
    const refused = await start();
    expectError(refused, 409, 'INVALID_STATE');
    expect(refused.body.error.message).toBe('stripe is not offered here: choose another way to be paid');
    expectError(await ask(), 409, 'INVALID_STATE');
    expect((await details()).transferRails).toEqual([]);
  });

  it('cannot be asked about while Stripe does not answer', async () => {
    await start();
    stripe.fault(`GET /v1/accounts/${accounts()[0]?.id}`, FAULTS.drop);
    expectError(await ask(), 503, 'UNAVAILABLE');
    expect((await ask()).status).toBe(200);
  });

  it('finds nothing when the program shows no payouts', async () => {
    const show = (showPayoutHistory: boolean) =>
      app.call('PATCH', `/api/programs/${app.programId}`, { body: { portal: { showPayoutHistory } } });
    await show(false);
    expectError(await start(), 404, 'NOT_FOUND');
    expectError(await ask(), 404, 'NOT_FOUND');
    await show(true);
    expect(accounts()).toEqual([]);
  });

  it('gets nothing after the session has ended, even if it ends while Stripe answers', async () => {
    stripe.fault('POST /v1/account_links', FAULTS.delay(300));
    const starting = start();
    await expect.poll(() => accounts().length).toBe(1);
    expect((await app.call('DELETE', `/api/partners/${partnerId}/portal-access`)).status).toBe(200);
    expectError(await starting, 401, 'UNAUTHORIZED');
    expectError(await start(), 401, 'UNAUTHORIZED');
    expectError(await ask(), 401, 'UNAUTHORIZED');
    expect((await app.call('GET', `/api/partners/${partnerId}`)).body.payoutDetails).toBeNull();
    expect(await actors()).toEqual([]);
  });

  it('cannot name an account, because it is opened at Stripe', async () => {
    const refused = await put({ rail: 'stripe', account: 'acct_1NabcdEXAMPLE' });
    expectError(refused, 400, 'VALIDATION_ERROR');
    expect(refused.body.error.details).toContainEqual({
      path: 'rail',
      message:
        'must be one of paypal, wise, sepa; an account at stripe is opened there, with a link from ' +
        'POST /api/embed/referrals/payout-onboarding',
    });
    expect((await details()).payoutDetails).toBeNull();
    for (const country of ['Germany', 'D1', '']) expectError(await start(country), 400, 'VALIDATION_ERROR');
    expect(accounts()).toEqual([]);
  });
});
