import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../../helpers/databases.ts';
import { expectError } from '../../helpers/expect-error.ts';
import { createReferrer } from '../../helpers/story.ts';
import { FAULTS, STRIPE_KEY, STRIPE_PLATFORM } from '../../helpers/stripe-connect.ts';
import { StripePlatform } from '../../helpers/stripe-connect-objects.ts';
import { placesOf } from '../../privacy/places-of.ts';
import { createStage, type Stage } from './stage.ts';

const OTHER_KEY = 'sk_test_platform2';
const NEW_KEY = 'rk_test_restricted1';
const LIVE_KEY = 'sk_live_platform1';

describe.each(engines)('the connection with Stripe, on %s', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
    const { keys, platform } = stage.stripe;
    keys.set(OTHER_KEY, new StripePlatform('acct_platform2'));
    keys.set(NEW_KEY, platform);
    keys.set(LIVE_KEY, platform);
  });
  afterEach(() => stage.stripe.clearFaults());
  afterAll(() => stage.close());

  const rails = async () => (await stage.app.call('GET', '/api/rails')).body.data;
  const connectionOf = async () => (await rails()).find(({ rail }: { rail: string }) => rail === 'stripe').connection;
  const disconnect = () => stage.app.call('DELETE', '/api/rails/stripe/connection');

  it('stores the key of the account that Stripe names, and never shows it', async () => {
    expect((await rails()).map(({ rail, kind }: { rail: string; kind: string }) => [rail, kind])).toEqual([
      ['paypal', 'file'],
      ['wise', 'file'],
      ['sepa', 'file'],
      ['stripe', 'transfer'],
    ]);
    expect(await connectionOf()).toBeNull();
    const connected = await stage.connect();
    expect(connected.status, connected.text).toBe(200);
    expect(connected.headers.get('cache-control')).toBe('no-store');
    expect(await connectionOf()).toMatchObject({ platformId: STRIPE_PLATFORM, mode: 'test', apiUrl: stage.stripe.url });
    expect(connected.text).not.toContain(STRIPE_KEY);
    expect(await placesOf(stage.app.service.database, STRIPE_KEY)).toEqual([]);
    const other = await stage.app.addAccount('Another Ltd');
    const { body } = await stage.app.call('GET', '/api/rails', { key: other.apiKey });
    expect(body.data.every(({ connection }: { connection: unknown }) => connection === null)).toBe(true);
    const theirs = { key: other.apiKey, body: { secretKey: OTHER_KEY, apiUrl: stage.stripe.url } };
    expectError(
      await stage.app.call('DELETE', '/api/rails/stripe/connection', { key: other.apiKey }),
      404,
      'NOT_FOUND',
    );
    expect((await stage.app.call('PUT', '/api/rails/stripe/connection', theirs)).status).toBe(200);
    expect((await stage.app.call('DELETE', '/api/rails/stripe/connection', { key: other.apiKey })).status).toBe(204);
    expect(await connectionOf()).toEqual(connected.body.connection);
  });

  it('refuses what is no key, a key that Stripe refuses, and an address that nobody allowed', async () => {
    for (const [body, path] of [
      [{ secretKey: 'pk_test_123' }, 'secretKey'],
      [{ secretKey: 'sk_test_unknown' }, 'secretKey'],
      [{ apiUrl: 'https://stripe.attacker.example' }, 'apiUrl'],
      [{ apiUrl: 'http://169.254.169.254/' }, 'apiUrl'],
    ] as const) {
      const refused = await stage.connect(body);
      expectError(refused, 400, 'VALIDATION_ERROR');
      expect(refused.body.error.details[0].path).toBe(path);
      expect(refused.text).not.toContain('sk_test_unknown');
    }
    stage.stripe.fault('GET /v1/account', FAULTS.unavailable);
    expectError(await stage.connect(), 503, 'UNAVAILABLE');
    const paypal = await stage.app.call('PUT', '/api/rails/paypal/connection', { body: { secretKey: STRIPE_KEY } });
    expectError(paypal, 404, 'NOT_FOUND');
    expect(await connectionOf()).toMatchObject({ platformId: STRIPE_PLATFORM });
  });

  it('takes another key of the same account at any time; of another account or mode only while nothing is sent', async () => {
    const { id } = await stage.lost();
    for (const secretKey of [OTHER_KEY, LIVE_KEY]) {
      const refused = await stage.connect({ secretKey });
      expectError(refused, 409, 'INVALID_STATE');
      expect(refused.body.error.message).toContain(`${id} is being sent`);
    }
    expectError(await disconnect(), 409, 'INVALID_STATE');
    expect((await stage.connect({ secretKey: NEW_KEY })).status).toBe(200);
    stage.clock.aheadMs += 3_600_000;
    await stage.work();
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
    expect((await stage.connect({ secretKey: OTHER_KEY })).body.connection.platformId).toBe('acct_platform2');
    expect((await stage.connect({ secretKey: LIVE_KEY })).body.connection.mode).toBe('live');
    expect((await disconnect()).status).toBe(204);
    expectError(await disconnect(), 404, 'NOT_FOUND');
    const next = await stage.payout();
    expect((await stage.send(next.id)).body.error.message).toContain('Connect Stripe first');
    expect((await stage.connect()).status).toBe(200);
  });

  it('of another account: a partner who signed up with the first one signs up anew', async () => {
    await stage.connect();
    const { partnerId } = await createReferrer(stage.app);
    const path = `/api/partners/${partnerId}/payout-onboarding`;
    const begin = async () => {
      const { status, text, body } = await stage.app.call('POST', path, { body: { rail: 'stripe', country: 'DE' } });
      expect(status, text).toBe(200);
      return body.url;
    };
    const first = await begin();
    expect(await begin()).not.toBe(first);
    const { platform, keys } = stage.stripe;
    const other = keys.get(OTHER_KEY) as StripePlatform;
    expect(new Set(platform.links.values()).size).toBe(1);
    await stage.connect({ secretKey: OTHER_KEY });
    const { body: flaw } = await stage.app.call('GET', path);
    expect(flaw).toMatchObject({ rail: 'stripe', isReady: false, problem: expect.stringContaining('sign up again') });
    expect(other.links.get(await begin())).toBeDefined();
    expect(
      [...other.accounts.values()].filter(({ id }) => id === other.links.get([...other.links.keys()][0] ?? '')),
    ).toHaveLength(1);
    expect((await stage.app.call('GET', path)).body.problem).toContain('has not finished signing up');
    await stage.connect();
  });

  it('is refused while Stripe does not answer, or refuses the key: nothing is ordered', async () => {
    const { id, destination } = await stage.payout();
    stage.stripe.fault(`GET /v1/accounts/${destination}`, FAULTS.unavailable);
    expectError(await stage.send(id), 503, 'UNAVAILABLE');
    stage.stripe.keys.delete(STRIPE_KEY);
    expectError(await stage.send(id), 409, 'INVALID_STATE');
    stage.stripe.keys.set(STRIPE_KEY, stage.stripe.platform);
    expect(await stage.get(id)).toMatchObject({ status: 'processing', transfer: null });
    expect((await stage.send(id)).status).toBe(202);
    // revoked before the first order: Stripe cannot be asked whether it made one, so nothing is decided
    stage.stripe.keys.delete(STRIPE_KEY);
    await stage.work();
    expect(await stage.get(id)).toMatchObject({ status: 'processing', transfer: { status: 'sending', attempts: 0 } });
    stage.stripe.keys.set(STRIPE_KEY, stage.stripe.platform);
    stage.clock.aheadMs += 3_600_000;
    await stage.work();
    expect(await stage.outcomeOf(id)).toEqual([1, 'paid']);
  });
});
