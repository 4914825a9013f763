import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { client } from '../../src/rails/stripe/client.ts';
import { FAULTS, STRIPE_KEY, type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { stripeError } from '../helpers/stripe-connect-objects.ts';
import { accessTo, CREATE, groupOf, transferIn } from './stripe-access.ts';

let stripe: StripeConnect;
beforeEach(async () => {
  stripe = await startStripeConnect();
});
afterEach(() => stripe.close());

const sendFirst = (transfer = transferIn(stripe)) => client.send(accessTo(stripe), transfer, false);

describe('a transfer that is ordered for the first time', () => {
  it('is sent with one request, with the payout as its group, key and metadata', async () => {
    const transfer = transferIn(stripe);
    const result = await sendFirst(transfer);
    const [made] = stripe.transfers.values();
    expect(result).toEqual({ outcome: 'sent', transferId: made?.id });
    const { amount, currency, destination, payoutId } = transfer;
    const metadata = { refbridgePayoutId: payoutId };
    expect(made).toMatchObject({ amount, currency, destination, metadata, transfer_group: groupOf(transfer) });
    const [request, ...others] = stripe.requests;
    expect(others).toEqual([]);
    expect(request?.headers).toMatchObject({
      'idempotency-key': groupOf(transfer),
      'stripe-version': '2026-10-28.endive',
      authorization: `Bearer ${STRIPE_KEY}`,
    });
    expect(request?.headers).not.toHaveProperty('x-stripe-client-telemetry');
  });

  it('is sent in Stripe’s unit', async () => {
    await sendFirst(transferIn(stripe, { amount: 500, currency: 'isk' }));
    expect([...stripe.transfers.values()]).toMatchObject([{ amount: 50_000, currency: 'isk' }]);
  });

  it('is refused without a request if Stripe has no such amount', async () => {
    const reason = 'Stripe pays only whole amounts in MGA';
    expect(await sendFirst(transferIn(stripe, { amount: 50_001, currency: 'mga' }))).toEqual({
      outcome: 'refused',
      reason,
    });
    expect(stripe.requests).toEqual([]);
  });

  it.each([
    ['has too little money', () => stripe.platform.balances.set('usd', 1_999), /insufficient available funds/],
    [
      'does not know the account',
      () => stripe.accounts.clear(),
      /^Stripe refuses: No such destination: 'acct_…\w{4}'$/,
    ],
    [
      'may not pay the account',
      () => {
        for (const one of stripe.accounts.values()) one.capabilities = {};
      },
      /capability/,
    ],
    ['has revoked the key', () => stripe.keys.clear(), /^Stripe refuses: Invalid API Key provided: …$/],
  ])('is refused if Stripe %s', async (_, change, reason) => {
    const transfer = transferIn(stripe);
    change();
    expect(await sendFirst(transfer)).toEqual({ outcome: 'refused', reason: expect.stringMatching(reason) });
    expect(stripe.madeOf()).toBe(0);
    expect(stripe.requests).toHaveLength(1);
  });

  it.each([400, 402, 403, 404, 410, 422])('is refused with status %d', async (status) => {
    stripe.fault(CREATE, FAULTS.answer(stripeError(status, 'No.')));
    expect(await sendFirst()).toEqual({ outcome: 'refused', reason: 'Stripe refuses: No' });
  });

  it.each([
    ['408', FAULTS.answer(stripeError(408, 'Too slow'))],
    ['409', FAULTS.conflict],
    ['424', FAULTS.answer(stripeError(424, 'A dependency failed'))],
    ['425', FAULTS.answer(stripeError(425, 'Too early'))],
    ['429', FAULTS.rateLimited()],
    ['500 after the execution', FAULTS.errorAfter],
    ['503', FAULTS.unavailable],
    ['a 4xx of Stripe’s own failure', FAULTS.answer(stripeError(400, 'Oops', { type: 'api_error' }))],
    ['a 4xx of an unknown type', FAULTS.answer(stripeError(400, 'Oops', { type: 'new_error' }))],
    ['a 4xx without a type', FAULTS.answer({ status: 400, body: { error: { message: 'Bad request' } } })],
    ['a 4xx whose error is a word', FAULTS.answer({ status: 404, body: { error: 'Not Found' } })],
    ['a 4xx of something in between', FAULTS.answer({ status: 403, body: { message: 'Forbidden' } })],
    ['a 4xx page of something in between', FAULTS.answer({ status: 413, body: '<html>Too large</html>' })],
    [
      'a 4xx that should be repeated',
      FAULTS.answer({ ...stripeError(400, 'Lock'), headers: { 'stripe-should-retry': 'true' } }),
    ],
    ['a 200 with an error', FAULTS.answer(stripeError(200, 'Oops'))],
    ['an idempotency error', FAULTS.answer(stripeError(400, 'Other parameters', { type: 'idempotency_error' }))],
    ['no answer and nothing made', FAULTS.drop],
    ['no answer', FAULTS.dropAfter],
    ['half of the answer', FAULTS.cut],
    ['a page', FAULTS.notJson],
    ['an empty answer', FAULTS.answer({ status: 204, body: '' })],
    ['no object', FAULTS.answer({ status: 200, body: 'null' })],
    ['a number', FAULTS.answer({ status: 200, body: '7' })],
    ['a list', FAULTS.answer({ status: 200, body: '[]' })],
    ['a 4xx with a text', FAULTS.answer({ status: 403, body: '"Forbidden"' })],
    ['a 4xx whose error is a number', FAULTS.answer({ status: 400, body: { error: 7 } })],
    ['another object', FAULTS.answer({ status: 200, body: { object: 'charge', id: 'ch_1' } })],
    ['a transfer without an amount', FAULTS.answer({ status: 200, body: { object: 'transfer', id: 'tr_1' } })],
    [
      'a redirect',
      FAULTS.answer({ status: 307, body: '{}', headers: { location: 'http://127.0.0.1:9/v1/transfers' } }),
    ],
    ['a redirect with a transfer', FAULTS.answer({ status: 302, body: { object: 'transfer', id: 'tr_1' } })],
  ])('is unknown after %s, with one request', async (_, fault) => {
    stripe.fault(CREATE, fault);
    const result = await sendFirst();
    expect(result).toEqual({ outcome: 'unknown', reason: expect.stringMatching(/Stripe.*[^.]$/) });
    expect(stripe.requests).toHaveLength(1);
  });

  it('that made something else is contradicted', async () => {
    const transfer = transferIn(stripe);
    await sendFirst(transfer);
    const [made] = [...stripe.transfers.values()];
    for (const other of [
      { amount: 1_999 },
      { destination: 'acct_OtherAccount' },
      { destination: null },
      { currency: 'eur' },
      { transfer_group: null },
    ]) {
      stripe.fault(CREATE, FAULTS.answer({ status: 200, body: { ...made, id: 'tr_other', ...other } }));
      const reason = `Stripe made the transfer tr_other with another ${Object.keys(other).join()}`;
      expect(await sendFirst(transfer)).toEqual({ outcome: 'contradicted', reason, transferId: 'tr_other' });
    }
  });

  it.each([
    ['7', 7],
    ['0', 0],
    ['1.5', 2],
    ['99999', 86_400],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['-5', undefined],
  ])('says how long Stripe asks to wait: %s', async (retryAfter, seconds) => {
    stripe.fault(CREATE, FAULTS.rateLimited(retryAfter));
    const result = await sendFirst();
    expect(result).toMatchObject({ outcome: 'unknown', reason: 'Stripe answered with status 429' });
    expect('retryAfterSeconds' in result ? result.retryAfterSeconds : undefined).toBe(seconds);
  });
});
