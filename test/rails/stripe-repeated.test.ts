import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transfer } from '../../src/rails/contract/transfer.ts';
import { client } from '../../src/rails/stripe/client.ts';
import { FAULTS, type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { stripeError } from '../helpers/stripe-connect-objects.ts';
import { accessTo, CREATE, groupOf, READ, transferIn } from './stripe-access.ts';

let stripe: StripeConnect;
let transfer: Transfer;
beforeEach(async () => {
  stripe = await startStripeConnect();
  transfer = transferIn(stripe);
});
afterEach(() => stripe.close());

const send = (isRepeated: boolean) => client.send(accessTo(stripe), transfer, isRepeated);

/** The first attempt was executed, but its answer was lost. */
async function loseAnswer(): Promise<string> {
  stripe.fault(CREATE, FAULTS.dropAfter);
  expect(await send(false)).toMatchObject({ outcome: 'unknown' });
  stripe.requests.length = 0;
  return [...stripe.transfers.keys()].join();
}

const requested = () => stripe.requests.map(({ method, path }) => `${method} ${path}`);

describe('a transfer that is ordered again', () => {
  it.each([
    ['delivered nowhere', FAULTS.drop],
    ['refused because of a limit', FAULTS.rateLimited()],
    ['refused for now', FAULTS.unavailable],
    ['lost', FAULTS.dropAfter],
    ['cut', FAULTS.cut],
    ['replaced by a page', FAULTS.notJson],
  ])('is made once after an attempt that was %s', async (_, fault) => {
    stripe.fault(CREATE, fault);
    expect(await send(false)).toMatchObject({ outcome: 'unknown' });
    const result = await send(true);
    expect(result).toEqual({ outcome: 'sent', transferId: [...stripe.transfers.keys()].join() });
    expect(stripe.madeOf(groupOf(transfer))).toBe(1);
  });

  it('is read again before its success is believed', async () => {
    const id = await loseAnswer();
    expect(await send(true)).toEqual({ outcome: 'sent', transferId: id });
    expect(requested()).toEqual([CREATE, `GET /v1/transfers/${id}`]);
  });

  it('is read again also if no earlier attempt was executed', async () => {
    expect(await send(true)).toMatchObject({ outcome: 'sent' });
    expect(requested()).toEqual([CREATE, expect.stringMatching(READ)]);
  });

  it('is read again if Stripe says that it was ordered before, although nobody knew', async () => {
    const id = await loseAnswer();
    stripe.platform.reverse(id);
    expect(await send(false)).toMatchObject({ outcome: 'contradicted' });
  });

  it('is contradicted if all of it was taken back', async () => {
    const id = await loseAnswer();
    stripe.platform.reverse(id);
    const reason = `All of the transfer ${id} was taken back at Stripe`;
    expect(await send(true)).toEqual({ outcome: 'contradicted', reason, transferId: id });
  });

  it('is contradicted if a part of it was taken back', async () => {
    const id = await loseAnswer();
    stripe.platform.reverse(id, 500);
    const reason = `A part of the transfer ${id} was taken back at Stripe: 500 of 2000 units of USD`;
    expect(await send(true)).toEqual({ outcome: 'contradicted', reason, transferId: id });
  });

  it.each([
    ['cannot be reached', FAULTS.drop],
    ['fails', FAULTS.unavailable],
    ['does not have it', FAULTS.answer(stripeError(404, 'No such transfer'))],
    ['may not be read', FAULTS.answer(stripeError(403, 'No permission'))],
    ['shows something else', FAULTS.answer({ status: 200, body: { object: 'transfer', id: 'tr_other' } })],
    ['shows half of it', FAULTS.cut],
  ])('is unknown if what was made %s', async (_, fault) => {
    await loseAnswer();
    stripe.fault(READ, fault);
    expect(await send(true)).toMatchObject({ outcome: 'unknown' });
    expect(await send(true)).toMatchObject({ outcome: 'sent' });
  });

  it('is unknown if Stripe shows another one instead of what was made', async () => {
    const id = await loseAnswer();
    stripe.fault(READ, FAULTS.answer({ status: 200, body: { ...stripe.transfers.get(id), id: 'tr_other' } }));
    expect(await send(true)).toEqual({ outcome: 'unknown', reason: "Stripe's answer has an unexpected form" });
  });

  it('is unknown while the first attempt is still being executed', async () => {
    stripe.fault(CREATE, FAULTS.delay(1_000));
    const first = send(false);
    while (stripe.requests.length === 0) await new Promise(setImmediate);
    expect(await send(true)).toEqual({ outcome: 'unknown', reason: 'Stripe answered with status 409' });
    expect(await first).toMatchObject({ outcome: 'sent' });
    expect(stripe.madeOf()).toBe(1);
  });

  it('is refused if Stripe refused to execute the first attempt, whose answer was lost', async () => {
    stripe.platform.balances.set('usd', 0);
    await loseAnswer();
    stripe.platform.balances.set('usd', 5_000);
    expect(await send(true)).toEqual({ outcome: 'refused', reason: expect.stringContaining('insufficient') });
    expect(requested()).toEqual([CREATE]);
    expect(stripe.madeOf()).toBe(0);
  });

  it('is refused if the first attempt did not arrive and Stripe refuses to execute this one', async () => {
    stripe.fault(CREATE, FAULTS.drop);
    await send(false);
    stripe.requests.length = 0;
    stripe.platform.balances.set('usd', 0);
    expect(await send(true)).toEqual({ outcome: 'refused', reason: expect.stringContaining('insufficient') });
    // the second request shows that the first was executed: it will be refused as long as Stripe knows the key
    expect(requested()).toEqual([CREATE, CREATE]);
    stripe.platform.balances.clear();
    expect(await send(true)).toMatchObject({ outcome: 'refused' });
    expect(stripe.madeOf()).toBe(0);
  });

  it('is unknown if Stripe refuses before it looks for the first attempt, which was executed', async () => {
    const id = await loseAnswer();
    for (const status of [400, 402, 404]) {
      stripe.fault(CREATE, FAULTS.answer(stripeError(status, 'Your account cannot make transfers')), 2);
      expect(await send(true), String(status)).toMatchObject({ outcome: 'unknown' });
    }
    expect(await send(true)).toEqual({ outcome: 'sent', transferId: id });
    expect(stripe.madeOf()).toBe(1);
  });

  it.each([
    ['key was revoked', FAULTS.answer(stripeError(401, 'Invalid API Key'))],
    ['key may not make transfers', FAULTS.answer(stripeError(403, 'No permission'))],
    [
      'key is said to belong to another order',
      FAULTS.answer(stripeError(400, 'Other parameters', { type: 'idempotency_error' })),
    ],
    ['first attempt failed at Stripe', FAULTS.answer(stripeError(400, 'Oops', { type: 'api_error' }))],
  ])('is unknown after one request if its %s', async (_, fault) => {
    const id = await loseAnswer();
    stripe.fault(CREATE, fault);
    expect(await send(true)).toMatchObject({ outcome: 'unknown' });
    expect(requested()).toEqual([CREATE]);
    expect(await send(true)).toEqual({ outcome: 'sent', transferId: id });
  });

  it('with another amount is unknown, and never refused', async () => {
    await loseAnswer();
    transfer = { ...transfer, amount: 2_001 };
    const reason = expect.stringContaining('can only be used with the same parameters');
    for (const isRepeated of [false, true]) expect(await send(isRepeated)).toEqual({ outcome: 'unknown', reason });
    expect(stripe.madeOf()).toBe(1);
  });

  it('stays unknown while Stripe repeats its own failure, and is found', async () => {
    stripe.fault(CREATE, FAULTS.errorAfter);
    for (const isRepeated of [false, true, true]) {
      expect(await send(isRepeated)).toEqual({ outcome: 'unknown', reason: 'Stripe answered with status 500' });
    }
    const id = [...stripe.transfers.keys()].join();
    expect(await client.find(accessTo(stripe), transfer)).toEqual({ outcome: 'sent', transferId: id });
    expect(stripe.madeOf()).toBe(1);
  });

  it('is unknown if there is no such amount any more', async () => {
    transfer = { ...transfer, amount: 50_001, currency: 'mga' };
    expect(await send(true)).toEqual({ outcome: 'unknown', reason: 'Stripe pays only whole amounts in MGA' });
  });

  it('is made again once Stripe has forgotten the key: nobody may ask after 24 hours', async () => {
    await loseAnswer();
    stripe.expireKeys();
    await send(true);
    expect(stripe.madeOf(groupOf(transfer))).toBe(2);
  });
});
