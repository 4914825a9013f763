import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAULTS, STRIPE_KEY, type StripeConnect, startStripeConnect } from './stripe-connect.ts';
import { StripePlatform } from './stripe-connect-objects.ts';

let stripe: StripeConnect;
let destination: string;
beforeEach(async () => {
  stripe = await startStripeConnect();
  destination = stripe.platform.addAccount().id;
});
afterEach(() => stripe.close());

const PATH = '/v1/transfers';
const CREATE = `POST ${PATH}`;

async function call(path: string, body?: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(stripe.url + path, {
    headers: { authorization: `Bearer ${STRIPE_KEY}`, ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: new URLSearchParams(body) }),
  });
  const isReplayed = response.headers.get('idempotent-replayed') === 'true';
  // biome-ignore lint/suspicious/noExplicitAny: objects of every kind
  const answer: any = await response.json();
  return { status: response.status, isReplayed, body: answer };
}

const transfer = (fields: Record<string, string> = {}, key = 'key1') =>
  call(
    PATH,
    { amount: '2000', currency: 'usd', destination, transfer_group: 'g', ...fields },
    { 'idempotency-key': key },
  );

describe('the server that plays Stripe', () => {
  it('executes a key once, and repeats the answer of then', async () => {
    const first = await transfer();
    expect(first).toMatchObject({ status: 200, isReplayed: false, body: { amount: 2_000, reversed: false } });
    stripe.platform.reverse(first.body.id);
    expect(await transfer()).toEqual({ ...first, isReplayed: true });
    expect(await call(`${PATH}/${first.body.id}`)).toMatchObject({ body: { reversed: true, amount_reversed: 2_000 } });
    expect(stripe.madeOf('g')).toBe(1);
    await transfer({}, 'key2');
    stripe.expireKeys();
    await transfer();
    expect([stripe.madeOf('g'), stripe.madeOf('other'), stripe.madeOf()]).toEqual([3, 0, 3]);
  });

  it('refuses a key with another body', async () => {
    await transfer();
    const other = await transfer({ amount: '2001' });
    expect(other).toMatchObject({ status: 400, isReplayed: false, body: { error: { type: 'idempotency_error' } } });
  });

  it('refuses a key that is in use, and executes although its client is gone', async () => {
    stripe.fault(CREATE, FAULTS.delay(1_000));
    const leaving = new AbortController();
    const gone = fetch(stripe.url + PATH, {
      method: 'POST',
      headers: { authorization: `Bearer ${STRIPE_KEY}`, 'idempotency-key': 'key1' },
      body: new URLSearchParams({ amount: '2000', currency: 'usd', destination, transfer_group: 'g' }),
      signal: leaving.signal,
    });
    while (stripe.requests.length === 0) await new Promise(setImmediate);
    expect(await transfer()).toMatchObject({ status: 409, body: { error: { code: 'idempotency_key_in_use' } } });
    leaving.abort();
    await expect(gone).rejects.toThrow();
    while (stripe.madeOf('g') === 0) await new Promise(setImmediate);
    expect(await transfer()).toMatchObject({ status: 200, isReplayed: true });
  });

  it.each([
    ['429', FAULTS.rateLimited('7'), 429],
    ['503', FAULTS.unavailable, 503],
    ['409', FAULTS.conflict, 409],
  ])('does not store what it answers before the execution: %s', async (_, fault, status) => {
    stripe.fault(CREATE, fault);
    expect(await transfer()).toMatchObject({ status, isReplayed: false });
    expect(await transfer()).toMatchObject({ status: 200, isReplayed: false });
  });

  it('does not store invalid parameters and unknown keys', async () => {
    expect(await transfer({ amount: '-1' })).toMatchObject({ status: 400 });
    expect(await transfer({ currency: 'clf' })).toMatchObject({ status: 400 });
    expect(await call(PATH, {}, { authorization: 'Bearer sk_test_other', 'idempotency-key': 'key1' })).toMatchObject({
      status: 401,
      body: { error: { message: 'Invalid API Key provided: sk_test_****ther' } },
    });
    expect(await transfer()).toMatchObject({ status: 200, isReplayed: false });
  });

  it('stores refusals and failures of the execution', async () => {
    stripe.platform.balances.set('usd', 1_999);
    const refused = await transfer();
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'balance_insufficient' } } });
    stripe.platform.balances.set('usd', 2_000);
    expect(await transfer()).toEqual({ ...refused, isReplayed: true });
    for (const [fault, made] of [
      [FAULTS.errorOfExecution, 0],
      [FAULTS.errorAfter, 1],
    ] as const) {
      stripe.fault(CREATE, fault);
      const key = `key of ${made}`;
      expect(await transfer({ transfer_group: key }, key)).toMatchObject({ status: 500, isReplayed: false });
      expect(await transfer({ transfer_group: key }, key)).toMatchObject({ status: 500, isReplayed: true });
      expect(stripe.madeOf(key)).toBe(made);
    }
  });

  it.each([
    ['drop', 0],
    ['hang', 0],
    ['dropAfter', 1],
    ['hangAfter', 1],
    ['cut', 1],
    ['notJson', 1],
  ] as const)('has executed as much as the fault says: %s %d', async (name, made) => {
    stripe.fault(/^POST /, FAULTS[name]);
    const requested = call(PATH, { amount: '1', currency: 'usd', destination, transfer_group: 'g' });
    const result = await Promise.race([
      requested.catch(() => 'failed'),
      new Promise((resolve) => setTimeout(resolve, 200)),
    ]);
    expect(result).toBe(name.startsWith('hang') ? undefined : 'failed');
    expect(stripe.madeOf('g')).toBe(made);
  });

  it('takes faults in order, each as often as ordered', async () => {
    stripe.fault(CREATE, FAULTS.unavailable, 2);
    stripe.fault(CREATE, FAULTS.conflict);
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await transfer()).status);
    expect(statuses).toEqual([503, 503, 409, 200]);
  });

  it('reduces the balance by a transfer, and raises it by a reversal', async () => {
    stripe.platform.balances.set('usd', 5_000);
    const { body } = await transfer();
    expect(stripe.platform.balances.get('usd')).toBe(3_000);
    stripe.platform.reverse(body.id, 500);
    expect(stripe.platform.balances.get('usd')).toBe(3_500);
    expect(stripe.transfers.get(body.id)).toMatchObject({ amount_reversed: 500, reversed: false });
  });

  it('lists a group page by page, the newest first', async () => {
    const ids: string[] = [];
    for (const key of ['a', 'b', 'c']) ids.unshift((await transfer({}, key)).body.id);
    await transfer({ transfer_group: 'other' }, 'd');
    const list = `${PATH}?transfer_group=g&limit=2`;
    const idsOf = ({ body }: Awaited<ReturnType<typeof call>>) => body.data.map(({ id }: { id: string }) => id);
    const first = await call(list);
    expect([idsOf(first), first.body.has_more]).toEqual([ids.slice(0, 2), true]);
    const second = await call(`${list}&starting_after=${ids[1]}`);
    expect([idsOf(second), second.body.has_more]).toEqual([ids.slice(2), false]);
  });

  it('keeps platforms apart, also their idempotency keys', async () => {
    await transfer();
    const other = new StripePlatform('acct_platform2');
    stripe.keys.set('sk_test_platform2', other);
    const headers = { authorization: 'Bearer sk_test_platform2', 'idempotency-key': 'key1' };
    const body = { amount: '2000', currency: 'usd', destination, transfer_group: 'g' };
    expect(await call(PATH, body, headers)).toMatchObject({ status: 400, isReplayed: false });
    expect(await call(PATH, undefined, headers)).toMatchObject({ body: { data: [] } });
    expect(await call('/v1/account', undefined, headers)).toMatchObject({ body: { id: 'acct_platform2' } });
    expect(await call(`/v1/accounts/${destination}`, undefined, headers)).toMatchObject({ status: 403 });
  });
});
