import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { client } from '../../src/rails/stripe/client.ts';
import {
  FAULTS,
  STRIPE_KEY,
  STRIPE_PLATFORM,
  type StripeConnect,
  startStripeConnect,
} from '../helpers/stripe-connect.ts';
import { type StripeAccount, stripeError } from '../helpers/stripe-connect-objects.ts';
import { accessTo } from './stripe-access.ts';

let stripe: StripeConnect;
beforeEach(async () => {
  stripe = await startStripeConnect();
});
afterEach(() => stripe.close());

const TEMPORARY = [
  ['a limit', FAULTS.rateLimited('7'), { retryAfterSeconds: 7 }],
  ['a failure', FAULTS.unavailable, {}],
  ['no answer', FAULTS.drop, {}],
  ['half of the answer', FAULTS.cut, {}],
  ['a page', FAULTS.notJson, {}],
  ['something else', FAULTS.answer({ status: 200, body: { object: 'charge' } }), {}],
] as const;

describe('the platform of a key', () => {
  const platform = () => client.platformOf(accessTo(stripe));

  it('is Stripe’s account, with its name', async () => {
    expect(await platform()).toEqual({ id: STRIPE_PLATFORM, name: 'Aurora' });
  });

  it('has the name of its business, or none', async () => {
    const { account } = stripe.platform;
    account.settings.dashboard.display_name = '';
    expect(await platform()).toEqual({ id: STRIPE_PLATFORM, name: null });
    Object.assign(account, { business_profile: { name: ' Aurora\n Labs ' } });
    expect(await platform()).toEqual({ id: STRIPE_PLATFORM, name: 'Aurora Labs' });
    Object.assign(account, { settings: null, business_profile: null });
    expect(await platform()).toEqual({ id: STRIPE_PLATFORM, name: null });
  });

  it.each([401, 403])('is a flaw of the key if Stripe refuses it with %d', async (status) => {
    stripe.fault('GET /v1/account', FAULTS.answer(stripeError(status, `No access for ${STRIPE_KEY}.`)));
    const message = 'Stripe refuses: No access for …';
    await expect(platform()).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'secretKey', message }],
    });
  });

  it.each(TEMPORARY)('is unavailable after %s', async (_, fault, fields) => {
    stripe.fault('GET /v1/account', fault);
    await expect(platform()).rejects.toMatchObject({ code: 'UNAVAILABLE', ...fields });
  });
});

describe('a partner’s account', () => {
  const flawOf = (account: string) => client.flawOf(accessTo(stripe), account);
  const PATH = /^GET \/v1\/accounts\//;
  const due = (fields: Partial<StripeAccount['requirements']>) => ({
    currently_due: [],
    past_due: [],
    disabled_reason: null,
    ...fields,
  });
  const inactive = { capabilities: { transfers: 'inactive' } } as const;

  it('can be paid once it can receive transfers', async () => {
    const id = await client.openAccount(accessTo(stripe), { id: 'par_1', email: 'ana@example.com', country: 'DE' });
    expect(await flawOf(id)).toBe('The partner has not finished signing up at Stripe: send a new onboarding link');
    stripe.platform.finishOnboarding(id);
    expect(await flawOf(id)).toBeNull();
  });

  it('can be paid although Stripe will need something later', async () => {
    const { id } = stripe.platform.addAccount({ requirements: due({ currently_due: ['individual.id_number'] }) });
    expect(await flawOf(id)).toBeNull();
  });

  it.each<[Partial<StripeAccount>, string]>([
    [{ ...inactive, requirements: due({ currently_due: ['external_account'] }) }, 'Stripe needs more information'],
    [
      { ...inactive, requirements: due({ past_due: ['x'], disabled_reason: 'requirements.past_due' }) },
      'Stripe needs more information',
    ],
    [
      { ...inactive, requirements: due({ past_due: ['x'], disabled_reason: 'rejected.fraud' }) },
      'Stripe has restricted the account: rejected.fraud',
    ],
    [{ ...inactive, requirements: due({ disabled_reason: 'under_review' }) }, 'restricted the account: under_review'],
    [{ ...inactive, requirements: due({ disabled_reason: 'An odd <b>' }) }, 'has restricted the account. Look'],
    [{ capabilities: { transfers: 'pending' } }, 'Stripe is still checking'],
    [{ ...inactive, requirements: due({ disabled_reason: 'requirements.pending_verification' }) }, 'still checking'],
    [{ capabilities: {} }, 'does not have the capability'],
    [inactive, 'Stripe has not activated transfers'],
    [{ ...inactive, details_submitted: false }, 'has not finished signing up'],
  ])('cannot be paid: %j', async (fields, flaw) => {
    const { id } = stripe.platform.addAccount(fields);
    expect(await flawOf(id)).toContain(flaw);
    expect(await flawOf(id)).not.toMatch(/\.$/);
  });

  it('that is not connected is a flaw, not an error', async () => {
    const flaw = 'The account is not connected to your Stripe account: let the partner sign up again';
    expect(await flawOf('acct_SomebodyElse')).toBe(flaw);
    stripe.fault(PATH, FAULTS.answer(stripeError(404, 'No such account')));
    expect(await flawOf('acct_SomebodyElse')).toBe(flaw);
  });

  it('that the key may not read says nothing about the account', async () => {
    stripe.fault(PATH, FAULTS.answer(stripeError(403, `The key ${STRIPE_KEY} lacks the permission rak_accounts.`)));
    const message =
      'Your secret key may not read the account: Stripe refuses: The key … lacks the permission rak_accounts';
    await expect(flawOf('acct_12345678')).rejects.toMatchObject({ code: 'INVALID_STATE', message });
  });

  it('tells of a key that Stripe refuses', async () => {
    stripe.keys.clear();
    const message = 'Stripe refuses: Invalid API Key provided: …. Store a valid secret key';
    await expect(flawOf('acct_12345678')).rejects.toMatchObject({ code: 'INVALID_STATE', message });
  });

  it.each(TEMPORARY)('is unavailable after %s', async (_, fault, fields) => {
    const { id } = stripe.platform.addAccount();
    stripe.fault(PATH, fault);
    await expect(flawOf(id)).rejects.toMatchObject({ code: 'UNAVAILABLE', ...fields });
  });
});
