import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TransferAccess } from '../../src/rails/contract/transfer.ts';
import { stripe as rail } from '../../src/rails/stripe/index.ts';
import { FAULTS, STRIPE_KEY, type StripeConnect, startStripeConnect } from '../helpers/stripe-connect.ts';
import { stripeError } from '../helpers/stripe-connect-objects.ts';
import { accessTo, CREATE, transferIn } from './stripe-access.ts';

const client = await rail.client();

let stripe: StripeConnect;
beforeEach(async () => {
  stripe = await startStripeConnect();
});
afterEach(async () => {
  vi.useRealTimers();
  await stripe.close();
});

const send = (fields: Partial<TransferAccess> = {}, isRepeated = false) =>
  client.send(accessTo(stripe, fields), transferIn(stripe), isRepeated);

describe('a request to Stripe', () => {
  it('goes to its usual address, by the function for requests', async () => {
    const urls: string[] = [];
    const fetch: typeof globalThis.fetch = async (url) => {
      urls.push(String(url));
      return Response.json({ object: 'list', has_more: false, data: [] });
    };
    const transfer = transferIn(stripe);
    expect(await client.find(accessTo(stripe, { apiUrl: null, fetch }), transfer)).toEqual({ outcome: 'none' });
    expect(urls).toEqual([`https://api.stripe.com/v1/transfers?transfer_group=payout_${transfer.payoutId}&limit=10`]);
  });

  it('goes to another address with its path', async () => {
    await send({ apiUrl: `${stripe.url}/behind/a/proxy/` });
    expect(stripe.requests.map(({ path }) => path)).toEqual(['/behind/a/proxy/v1/transfers']);
  });

  it('that hangs ends with its signal', async () => {
    for (const fault of [FAULTS.hang, FAULTS.hangAfter]) {
      stripe.fault(CREATE, fault);
      stripe.requests.length = 0;
      const ending = new AbortController();
      const result = send({ signal: ending.signal });
      while (stripe.requests.length === 0) await new Promise(setImmediate);
      ending.abort();
      const reason = 'The request to Stripe was ended before its answer';
      expect(await result).toEqual({ outcome: 'unknown', reason });
    }
    await vi.waitFor(() => expect(stripe.madeOf()).toBe(1));
  });

  it('does not read an answer that has no end', async () => {
    let bytes = 0;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          bytes += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(32));
        },
      });
    const fetch: typeof globalThis.fetch = async () => new Response(endless());
    expect(await send({ fetch })).toMatchObject({ outcome: 'unknown' });
    expect(bytes).toBeLessThan(8 * 1024 * 1024);
  });

  it('is not sent if its signal has ended', async () => {
    expect(await send({ signal: AbortSignal.abort() })).toMatchObject({ outcome: 'unknown' });
    expect(stripe.requests).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect: %d', async (status) => {
    const location = `${stripe.url}/v1/transfers?limit=10`;
    stripe.fault(/./, FAULTS.answer({ status, body: {}, headers: { location } }), 2);
    const reason = `Stripe answered with a redirect (${status}), which is not followed`;
    expect(await send()).toEqual({ outcome: 'unknown', reason });
    expect(await client.find(accessTo(stripe), transferIn(stripe))).toEqual({ outcome: 'unknown', reason });
    expect(stripe.requests).toHaveLength(2);
  });

  it.each(['before its answer', 'within its answer'])('that hangs %s ends after 20 s', async (when) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const hanging = (signal: AbortSignal | null | undefined) =>
      new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const fetch: typeof globalThis.fetch = async (_, init) => {
      const pull = () => hanging(init?.signal);
      return when === 'before its answer' ? hanging(init?.signal) : new Response(new ReadableStream({ pull }));
    };
    const result = send({ fetch });
    await vi.advanceTimersByTimeAsync(19_999);
    expect(await Promise.race([result, 'hangs'])).toBe('hangs');
    await vi.advanceTimersByTimeAsync(1);
    expect(await result).toEqual({ outcome: 'unknown', reason: 'Stripe did not answer within 20 s' });
  });

  it.each(['ECONNRESET', 'EPIPE', 'ECONNREFUSED'])('that fails with %s is not sent again', async (code) => {
    let count = 0;
    const fetch = () => {
      count += 1;
      return Promise.reject(Object.assign(new Error(`Bearer ${STRIPE_KEY}`), { code }));
    };
    expect(await send({ fetch })).toEqual({ outcome: 'unknown', reason: `The connection to Stripe failed (${code})` });
    expect(count).toBe(1);
  });

  it('that throws something odd is unknown', async () => {
    for (const thrown of [null, 'text', { code: STRIPE_KEY }, new TypeError(STRIPE_KEY)]) {
      const reason = 'The connection to Stripe failed';
      expect(await send({ fetch: () => Promise.reject(thrown) })).toEqual({ outcome: 'unknown', reason });
      expect(await client.find(accessTo(stripe, { fetch: () => Promise.reject(thrown) }), transferIn(stripe))).toEqual({
        outcome: 'unknown',
        reason,
      });
    }
  });
});

describe('the reason of a refusal', () => {
  const reasonOf = async (message: string) => {
    stripe.fault(CREATE, FAULTS.answer(stripeError(400, message)));
    const result = await send();
    return result.outcome === 'refused' ? result.reason : result.outcome;
  };

  it('never contains a key', async () => {
    const reason = await reasonOf(`${STRIPE_KEY}, sk_live_51Habc_D and rk_test_****9xyz. (${STRIPE_KEY})`);
    expect(reason).toBe('Stripe refuses: …, … and …. (…)');
  });

  it('is one line without control characters', async () => {
    expect(await reasonOf('First\r\n\tsecond\u0000\u202e third.\n')).toBe('Stripe refuses: First second third');
  });

  it('is short', async () => {
    expect(await reasonOf('💸'.repeat(1_000))).toBe(`Stripe refuses: ${'💸'.repeat(300)}…`);
  });

  it('says so if there is none', async () => {
    expect(await reasonOf('…')).toBe('Stripe refuses: …');
    expect(await reasonOf(' . ')).toBe('Stripe refuses: it gives no reason');
  });
});
