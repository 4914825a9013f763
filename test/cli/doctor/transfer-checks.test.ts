import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountChecks } from '../../../src/cli/doctor/account-checks.ts';
import { createSealer } from '../../../src/process/sealer.ts';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { engines } from '../../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../../helpers/earning.ts';
import { addTransfer, hold } from '../../helpers/held-payouts.ts';
import { createTestService } from '../../helpers/service.ts';
import { createReferrer } from '../../helpers/story.ts';
import { STRIPE_KEY, type StripeConnect, startStripeConnect } from '../../helpers/stripe-connect.ts';

const MINUTE_MS = 60_000;

describe.each(engines)('what doctor finds of payouts that are sent (%s)', (engine) => {
  let app: TestApp;
  let stripe: StripeConnect;

  beforeAll(async () => {
    stripe = await startStripeConnect();
    app = await createTestApp(engine);
  });
  afterAll(async () => {
    await app.close();
    await stripe.close();
  });

  const NAMES = ['rail stripe', 'held payouts', 'payouts being sent'];
  const checksOf = async (service = app.service) =>
    (await accountChecks(service)).filter(({ check }) => NAMES.includes(check));

  async function newPayout(): Promise<string> {
    const referrer = await createReferrer(app);
    await sell(app, referrer);
    await runPayouts(app, { at: '2099-12-31' });
    return (await payoutsOf(app, referrer.partnerId, 'processing'))[0].id;
  }

  const setTransfer = (payoutId: string, dueAt: number | null, leasedUntil: number | null) =>
    app.service.database.write((tx) =>
      tx.run('UPDATE payout_transfers SET due_at = @dueAt, leased_until = @leasedUntil WHERE payout_id = @payoutId', {
        payoutId,
        dueAt,
        leasedUntil,
      }),
    );

  it('says nothing without a connection, and with one what is connected and in which mode', async () => {
    expect(await checksOf()).toEqual([]);
    const body = { secretKey: STRIPE_KEY, apiUrl: stripe.url };
    expect((await app.call('PUT', '/api/rails/stripe/connection', { body })).status).toBe(200);
    expect(await checksOf()).toEqual([
      expect.objectContaining({
        status: 'ok',
        message: expect.stringContaining('Aurora (acct_platform1), in test mode'),
      }),
    ]);
  });

  it('finds a key that cannot be decrypted, and an address that is not allowed any more', async () => {
    const { database } = app.service;
    const other = createTestService({ database, sealer: createSealer(randomBytes(32)) });
    expect(await checksOf(other)).toEqual([
      expect.objectContaining({
        check: 'rail stripe',
        status: 'failed',
        message: expect.stringContaining('Another SECRET_KEY encrypted the key of Stripe'),
      }),
    ]);
    const strict = createTestService({
      database,
      sealer: app.service.sealer,
      events: { allowedHosts: new Set(), retentionDays: 30 },
    });
    const [refused] = await checksOf(strict);
    expect(refused).toMatchObject({ status: 'failed', message: expect.stringContaining('EVENT_ALLOWED_HOSTS') });
  });

  it('finds payouts that are held, with their sum and what to do', async () => {
    const [first, second] = [await newPayout(), await newPayout()];
    await addTransfer(app.service.database, first, 'held');
    await setTransfer(first, null, null);
    for (const id of [first, second]) expect(await hold(app.service, app.accountId, id)).toBe(true);
    const [, held] = await checksOf();
    expect(held).toMatchObject({ check: 'held payouts', status: 'failed' });
    expect(held?.message).toMatch(
      /: 2 payouts of 40\.00 USD may have been paid or not, the first of which was ordered at 1970-/,
    );
    expect(held?.advice).toContain(`payout_${first}`);
    expect(held?.advice).toContain(`payouts mark-paid ${first}\``);
  });

  it('finds payouts that nobody sends, and none that is leased, or due soon', async () => {
    const id = await newPayout();
    await addTransfer(app.service.database, id, 'sending');
    const late = Date.now() - 10 * MINUTE_MS;
    const sent = async () => (await checksOf()).find(({ check }) => check === 'payouts being sent');
    await setTransfer(id, late, null);
    expect(await sent()).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(`1 payout, the first: ${id}`),
    });
    await setTransfer(id, late, Date.now() + MINUTE_MS);
    expect(await sent()).toBeUndefined();
    await setTransfer(id, Date.now() - MINUTE_MS, null);
    expect(await sent()).toBeUndefined();
    await setTransfer(id, late, late);
    expect((await sent())?.advice).toContain('payouts send --all');
  });
});
