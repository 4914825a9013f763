import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transfer } from '../../src/rails/contract/transfer.ts';
import { client } from '../../src/rails/stripe/client.ts';
import { FAULTS, type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { stripeError } from '../helpers/stripe-connect-objects.ts';
import { accessTo, groupOf, LIST, transferIn } from './stripe-access.ts';

let stripe: StripeConnect;
let transfer: Transfer;
beforeEach(async () => {
  stripe = await startStripeConnect();
  transfer = transferIn(stripe);
});
afterEach(() => stripe.close());

const find = (of = transfer) => client.find(accessTo(stripe), of);

/** Makes a transfer, also a second one of the same group. */
async function make(of = transfer): Promise<string> {
  stripe.expireKeys();
  const result = await client.send(accessTo(stripe), of, false);
  return result.outcome === 'sent' ? result.transferId : result.outcome;
}

describe('a transfer that is looked for', () => {
  it('is none if Stripe lists none of its payout', async () => {
    await make(transferIn(stripe));
    stripe.requests.length = 0;
    expect(await find()).toEqual({ outcome: 'none' });
    expect(stripe.requests.map(({ method, path, query }) => [method, path, query.get('transfer_group')])).toEqual([
      ['GET', '/v1/transfers', groupOf(transfer)],
    ]);
  });

  it('is none while the list is behind', async () => {
    await make();
    stripe.platform.isListBehind = true;
    expect(await find()).toEqual({ outcome: 'none' });
  });

  it('was sent if Stripe lists it', async () => {
    await make(transferIn(stripe));
    const id = await make();
    expect(await find()).toEqual({ outcome: 'sent', transferId: id });
  });

  it('was sent in Stripe’s unit', async () => {
    transfer = { ...transfer, amount: 500, currency: 'isk' };
    const id = await make();
    expect(await find()).toEqual({ outcome: 'sent', transferId: id });
  });

  it.each([
    [undefined, /^All of the transfer tr_\w+ was taken back at Stripe$/],
    [1, /^A part of the transfer tr_\w+ was taken back at Stripe: 1 of 2000 units of USD$/],
  ])('is contradicted if it was taken back', async (amount, reason) => {
    const id = await make();
    stripe.platform.reverse(id, amount);
    expect(await find()).toEqual({ outcome: 'contradicted', reason: expect.stringMatching(reason), transferId: id });
  });

  it.each([
    [{ amount: 2_001 }, 'amount'],
    [{ currency: 'eur' }, 'currency'],
    [{ destination: 'acct_OtherAccount', amount: 1 }, 'amount and destination'],
  ])('is contradicted if what was made has another %j', async (other, members) => {
    const id = await make();
    const reason = `Stripe made the transfer ${id} with another ${members}`;
    expect(await find({ ...transfer, ...other })).toEqual({ outcome: 'contradicted', reason, transferId: id });
  });

  it('is contradicted if Stripe has no such amount, but a transfer', async () => {
    const id = await make();
    const result = await find({ ...transfer, amount: 50_001, currency: 'mga' });
    expect(result).toMatchObject({ outcome: 'contradicted', transferId: id });
  });

  it('is contradicted if there are several, all of which the reason names', async () => {
    const first = await make();
    const second = await make();
    expect(await find()).toEqual({
      outcome: 'contradicted',
      reason: `Stripe made several transfers for this payout: ${second}, ${first}`,
      transferId: second,
    });
  });

  it('is contradicted if there are more than one answer lists', async () => {
    for (let count = 0; count < 11; count += 1) await make();
    const result = await find();
    expect(result).toMatchObject({
      outcome: 'contradicted',
      reason: expect.stringMatching(/(tr_\w+(, )?){10} and more$/),
    });
    const one = { object: 'list', has_more: true, data: [[...stripe.transfers.values()].at(-1)] };
    stripe.fault(LIST, FAULTS.answer({ status: 200, body: one }));
    expect(await find()).toMatchObject({
      outcome: 'contradicted',
      reason: expect.stringMatching(/: tr_\w+ and more$/),
    });
  });

  const list = (fields: object) =>
    FAULTS.answer({ status: 200, body: { object: 'list', has_more: false, data: [], ...fields } });
  it.each([
    ['a revoked key', FAULTS.answer(stripeError(401, 'Invalid API Key'))],
    ['a key without a permission', FAULTS.answer(stripeError(403, 'No permission'))],
    ['a refusal', FAULTS.answer(stripeError(400, 'Invalid parameter'))],
    ['a missing list', FAULTS.answer(stripeError(404, 'Unrecognized request URL'))],
    ['a limit', FAULTS.rateLimited('3')],
    ['a failure', FAULTS.unavailable],
    ['no answer', FAULTS.drop],
    ['half of the list', FAULTS.cut],
    ['a page', FAULTS.notJson],
    ['a text', FAULTS.answer({ status: 200, body: '"[]"' })],
    ['no list', FAULTS.answer({ status: 200, body: { data: [] } })],
    ['a list that does not say whether there is more', list({ has_more: undefined })],
    ['a list of something else', list({ data: [{ id: 'ch_1', object: 'charge' }] })],
    ['a redirect', FAULTS.answer({ status: 301, body: '{}', headers: { location: 'http://127.0.0.1:9/' } })],
    ['a redirect with a list', FAULTS.answer({ status: 302, body: { object: 'list', has_more: false, data: [] } })],
  ])('is unknown after %s', async (_, fault) => {
    stripe.fault(LIST, fault);
    const result = await find();
    expect(result).toMatchObject({ outcome: 'unknown', reason: expect.stringMatching(/Stripe.*[^.]$/) });
    expect(stripe.requests).toHaveLength(1);
  });

  it('is unknown if the list is not of its payout', async () => {
    await make(transferIn(stripe));
    stripe.fault(LIST, list({ data: [...stripe.transfers.values()] }));
    expect(await find()).toMatchObject({ outcome: 'unknown' });
  });
});
