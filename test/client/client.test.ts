import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClientOptions, createClient } from '../../src/client/index.ts';
import { startOwnTime } from '../helpers/own-time.ts';
import {
  createServiceStub,
  DUPLICATE,
  fetchWithoutTimeout,
  OK,
  type ServiceStub,
  SILENCE,
  UNAVAILABLE,
} from './service-stub.ts';

const errorOf = (code: string) => ({ error: { code, message: 'What to do' } });
const CLICK = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
const LEAD = { clickId: CLICK, eventName: 'Sign up', customerExternalId: 'user-1', customerEmail: 'ida@example.com' };
const SALE = { clickId: CLICK, customerExternalId: 'user-1', amount: 1999, currency: 'eur' };

let service: ServiceStub;
beforeEach(async () => {
  service = await createServiceStub();
});
afterEach(() => service.close());

/** With a longer timeout than the default two seconds, for busy machines. */
const clientWith = (options: Partial<ClientOptions> = {}) =>
  createClient({ baseUrl: service.url, apiKey: 'rb_live_example', timeoutMs: 20_000, ...options });

describe('a call that is answered', () => {
  it("is sent once, in the API's format, and returns the answer", async () => {
    const answer = { eventName: 'Sign up', click: { id: CLICK } };
    service.reply({ body: answer });
    expect(await clientWith({ baseUrl: `${service.url}/` }).trackLead(LEAD)).toEqual({
      ok: true,
      status: 'recorded',
      answer,
    });
    expect(service.calls).toHaveLength(1);
    expect(service.calls[0]).toMatchObject({ path: '/api/track/lead', body: LEAD });
    expect(service.calls[0]?.headers).toMatchObject({
      authorization: 'Bearer rb_live_example',
      'content-type': 'application/json',
    });
  });

  it.each([Number.NaN, 2_500.5, 1e12, Number.POSITIVE_INFINITY])('is sent with a time limit of %d', async (limit) => {
    const client = clientWith({ timeoutMs: limit, requestTimeoutMs: limit, retries: 0 });
    service.reply({ body: { eventName: 'Sign up' } });
    expect((await client.trackLead(LEAD)).status).toBe('recorded');
    service.reply({ body: { id: 'ptr_1' } });
    for (const options of [{}, { timeoutMs: limit, retries: limit }]) {
      expect(await client.partners.update('ptr_1', { name: 'Ana' }, options)).toEqual({ id: 'ptr_1' });
    }
  });

  it('can create an embed token', async () => {
    const token = { publicToken: 'rb_embed_example', expires: '2026-11-21T12:00:00.000Z' };
    service.reply({ body: token });
    expect(await clientWith().createEmbedToken({ tenantId: 'tenant-1' })).toEqual({ ok: true, token });
    expect(service.calls[0]).toMatchObject({ path: '/api/embed/token', body: { tenantId: 'tenant-1' } });
  });

  it.each([null, undefined, ''])('is not made for a lead whose click id is %j', async (clickId) => {
    const client = clientWith();
    expect(await client.trackLead({ ...LEAD, clickId })).toEqual({ ok: true, status: 'skipped' });
    expect(service.calls).toEqual([]);
  });
});

describe('a sale', () => {
  it('without an invoice gets one, different for each sale', async () => {
    const client = clientWith();
    const [first, second] = [await client.trackSale(SALE), await client.trackSale({ ...SALE, invoiceId: null })];
    expect(first.invoiceId).toMatch(/^inv_[0-9a-f-]{36}$/);
    expect(second.invoiceId).not.toBe(first.invoiceId);
    expect(service.calls.map(({ body }) => body.invoiceId)).toEqual([first.invoiceId, second.invoiceId]);
  });

  it('keeps its own invoice', async () => {
    expect((await clientWith().trackSale({ ...SALE, invoiceId: 'order-7' })).invoiceId).toBe('order-7');
    expect(service.calls[0]?.body.invoiceId).toBe('order-7');
  });

  it('is retried with the same invoice, and a 409 for the retry means success: the first attempt was counted', async () => {
    service.reply({ with: (response) => response.destroy() }, DUPLICATE);
    const result = await clientWith().trackSale(SALE);
    expect(result).toEqual({ ok: true, status: 'duplicate', invoiceId: result.invoiceId });
    expect(service.calls.map(({ body }) => body.invoiceId)).toEqual([result.invoiceId, result.invoiceId]);
  });

  it('that is a duplicate at its first attempt is reported as one', async () => {
    service.reply(DUPLICATE);
    const result = await clientWith().trackSale({ ...SALE, invoiceId: 'order-7' });
    expect(result).toMatchObject({ ok: false, status: 'refused', error: { code: 'DUPLICATE_INVOICE', status: 409 } });
  });
});

describe('a failing service', () => {
  it('is retried with backoff until it answers', async () => {
    service.reply(UNAVAILABLE, { ...UNAVAILABLE, status: 500 }, { status: 429 }, OK);
    expect(await clientWith().trackLead(LEAD)).toMatchObject({ ok: true, status: 'recorded' });
    const waits = service.calls.slice(1).map(({ at }, index) => at - (service.calls[index]?.at ?? 0));
    expect(waits).toHaveLength(3);
    // 100, 200 and 400 ms, half of each random
    expect(waits[0]).toBeGreaterThanOrEqual(45);
    expect(waits[1]).toBeGreaterThanOrEqual(95);
    expect(waits[2]).toBeGreaterThanOrEqual(195);
  });

  it('gets no request before its Retry-After, from any call', async () => {
    service.reply({ status: 429, headers: { 'retry-after': '1' } }, OK);
    const asked = Promise.withResolvers<void>();
    const client = clientWith({
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        const whole = new Response(await response.text(), response);
        // by then, the client has read it
        setImmediate(asked.resolve);
        return whole;
      },
    });
    const started = Date.now();
    const first = client.trackLead(LEAD);
    await asked.promise;
    expect(service.calls).toHaveLength(1);
    const results = await Promise.all([first, client.trackLead(LEAD)]);
    expect(results.map(({ status }) => status)).toEqual(['recorded', 'recorded']);
    expect(service.calls[1]?.at).toBeGreaterThanOrEqual(started + 1000);
    expect(service.calls[2]?.at).toBeGreaterThanOrEqual(started + 1000);
  });

  it('delays nobody when it asks for a longer wait than the call may take', async () => {
    service.reply({ status: 503, headers: { 'retry-after': new Date(Date.now() + 60_000).toUTCString() } });
    const client = clientWith();
    const ownMs = await startOwnTime();
    expect((await client.trackLead(LEAD)).status).toBe('queued');
    expect((await client.trackLead(LEAD)).status).toBe('queued');
    expect(await client.createEmbedToken({ tenantId: 'tenant-1' })).toMatchObject({
      ok: false,
      error: { code: 'NOT_SENT' },
    });
    expect(await client.flush()).toBe(2);
    expect(ownMs()).toBeLessThan(10_000);
    expect(service.calls).toHaveLength(1);
  });

  it('that hangs costs at most two seconds', async () => {
    service.reply(SILENCE);
    const ownMs = await startOwnTime();
    const started = Date.now();
    const usual = () => createClient({ baseUrl: service.url, apiKey: 'rb_live_example' });
    const results = await Promise.all([usual().trackLead(LEAD), usual().createEmbedToken({ tenantId: 't' })]);
    expect(Date.now() - started).toBeGreaterThanOrEqual(1_950);
    expect(ownMs()).toBeLessThan(2_700);
    expect(results).toMatchObject([
      { ok: false, status: 'queued', error: { code: 'TIMEOUT', status: null } },
      { ok: false, error: { code: 'TIMEOUT' } },
    ]);
  });

  it('that hangs during an answer, or keeps failing, costs no more either', async () => {
    for (const reply of [
      { with: (response: { write(text: string): void }) => response.write('{"event') },
      UNAVAILABLE,
    ]) {
      service.reply(reply);
      const ownMs = await startOwnTime();
      expect((await clientWith({ timeoutMs: 400 }).trackLead(LEAD)).status).toBe('queued');
      expect(ownMs()).toBeLessThan(1_900);
    }
  });

  it.each([
    ['breaks the connection', { with: (response: { destroy(): void }) => response.destroy() }, 'UNREACHABLE'],
    ['answers a page of its proxy', { body: '<h1>Maintenance</h1>' }, 'UNEXPECTED_ANSWER'],
    ['answers a page with 502', { status: 502, body: '<h1>Bad gateway</h1>' }, 'UNEXPECTED_ANSWER'],
    ['is behind a proxy without a route to it', { status: 404, body: '404 page not found' }, 'UNEXPECTED_ANSWER'],
    ['is behind a firewall', { status: 403, body: '<h1>Forbidden</h1>' }, 'UNEXPECTED_ANSWER'],
    ['is replaced by a page in JSON', { body: { status: 'maintenance' } }, 'UNEXPECTED_ANSWER'],
    ['is behind a proxy with errors of the same form', { status: 404, body: errorOf('404') }, '404'],
  ])('that %s leaves the call in the queue', async (_how, reply, code) => {
    service.reply(reply);
    const result = await clientWith({ timeoutMs: 300, fetch: fetchWithoutTimeout }).trackLead(LEAD);
    expect(result).toMatchObject({ ok: false, status: 'queued', error: { code } });
  });
});

describe('a call that a retry cannot fix', () => {
  it.each([
    [400, 'INVALID_CLICK_ID'],
    [400, 'VALIDATION_ERROR'],
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [413, 'PAYLOAD_TOO_LARGE'],
  ])('is made once and reported as %i %s', async (status, code) => {
    service.reply({ status, body: errorOf(code) });
    const error = { code, message: 'What to do', status };
    expect(await clientWith().trackLead(LEAD)).toEqual({ ok: false, status: 'refused', error });
    expect(service.calls).toHaveLength(1);
  });

  it('may have met a redirect, which would have dropped its body', async () => {
    service.reply({ status: 301, headers: { location: 'https://refer.example.com/api/track/lead' } });
    const result = await clientWith().trackLead(LEAD);
    expect(result).toMatchObject({ ok: false, status: 'refused', error: { code: 'UNEXPECTED_ANSWER', status: 301 } });
  });
});

describe('the caller’s flow', () => {
  it.each([
    ['no address', { baseUrl: undefined }],
    ['an address that is none', { baseUrl: 'refer.example.com' }],
    ['no key', { apiKey: undefined }],
    ['a key of two lines', { apiKey: 'rb_live_\nexample' }],
  ])('is not disturbed by a configuration with %s', async (_what, options) => {
    const problems: string[] = [];
    const client = clientWith({ ...options, onProblem: (error) => problems.push(error.code) });
    const error = { code: 'NOT_CONFIGURED', message: expect.not.stringContaining('example'), status: null };
    expect(await client.trackLead(LEAD)).toEqual({
      ok: false,
      status: 'refused',
      error: expect.objectContaining({ code: 'NOT_CONFIGURED' }),
    });
    expect(await client.createEmbedToken({ tenantId: 't' })).toMatchObject({ ok: false, error: { code: error.code } });
    expect(problems).toEqual(['NOT_CONFIGURED']);
    expect(service.calls).toEqual([]);
  });

  it('is not disturbed by input that JSON cannot represent, nor by missing input', async () => {
    const client = clientWith();
    const metadata: Record<string, unknown> = { seats: 3n };
    expect(await client.trackSale({ ...SALE, metadata })).toMatchObject({
      ok: false,
      status: 'refused',
      error: { code: 'NOT_SENT' },
    });
    // @ts-expect-error: callers in JavaScript
    expect(await client.trackLead()).toMatchObject({ ok: false, status: 'refused' });
    // @ts-expect-error: callers in JavaScript
    expect(await client.trackSale(null)).toMatchObject({ ok: false, status: 'refused' });
    expect(service.calls).toEqual([]);
  });

  it('is not disturbed by a hook that throws', async () => {
    const onProblem = () => {
      throw new Error('the hook failed');
    };
    expect(() => clientWith({ apiKey: '', onProblem })).not.toThrow();
  });
});
