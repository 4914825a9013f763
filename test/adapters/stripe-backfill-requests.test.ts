import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readPage } from '../../adapters/stripe/backfill.ts';
import stripe from '../../adapters/stripe/index.ts';
import { serveNode } from '../helpers/serve-fetch.ts';
import { answer, openStripeApi, type StripeApi } from './stripe-api.ts';
import { ACCESS_TOKEN, readAll, requestOf } from './stripe-backfill-pages.ts';
import { payloadOf } from './stripe-events.ts';

const LIST = { object: 'list', data: [], has_more: false };

let api: StripeApi;
beforeEach(async () => {
  api = await openStripeApi();
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await api.close();
});

const firstPage = () => readPage(requestOf(api));

describe('a request that fails', () => {
  test('because of a limit is temporary, and says how long Stripe asks to wait', async () => {
    const limit = { error: { type: 'rate_limit_error', message: 'Too many requests' } };
    const headers = { 'stripe-rate-limited-reason': 'global-rate', 'stripe-should-retry': 'true' };
    api.answerNext(answer(429, limit, headers));
    api.answerNext(answer(429, limit, { ...headers, 'retry-after': '7' }));
    const message = 'Stripe did not answer the request for events: status 429';
    await expect(firstPage()).rejects.toMatchObject({ code: 'UNAVAILABLE', message, retryAfterSeconds: undefined });
    await expect(firstPage()).rejects.toMatchObject({ code: 'UNAVAILABLE', message, retryAfterSeconds: 7 });
    expect(api.requests).toHaveLength(2);
  });

  test.each([
    answer(500, { error: { type: 'api_error', message: 'Something went wrong' } }, { 'stripe-should-retry': 'true' }),
    answer(502, '<html>Bad gateway</html>', { 'content-type': 'text/html' }),
    answer(503, LIST),
    answer(409, { error: { message: 'lock_timeout' } }),
  ])('with a failure of the API is temporary, and is not repeated', async (failure) => {
    api.answerNext(failure);
    await expect(firstPage()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/^Stripe did not answer the request for events: status \d+$/),
    });
    expect(api.requests).toHaveLength(1);
  });

  const cutAfter = (headers: Record<string, string | number>) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.write('{"object":"list","data":[', () => response.destroy());
  };
  test.each([
    ['cut in the middle', cutAfter({ 'content-length': 5000 })],
    ['cut between two parts', cutAfter({})],
    ['cut before the answer', (response: ServerResponse) => void response.destroy()],
    ['without JSON', answer(200, 'Under maintenance')],
    ['with half of the JSON', answer(200, '{"object":"list","data":[{"id":')],
    ['without an object', answer(200, 'null')],
    ['with a text', answer(200, '"Under maintenance"')],
    ['with a number', answer(200, '7')],
  ])('with an answer %s is temporary, and is not repeated', async (_name, cut) => {
    api.answerNext(cut);
    await expect(firstPage()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/events: the (answer was cut off|answer is not JSON|connection failed)/),
    });
    expect(api.requests).toHaveLength(1);
  });

  test.each([
    {},
    [],
    { object: 'list', has_more: false },
    { object: 'list', data: [] },
    { object: 'list', data: [{ id: 'evt_1' }], has_more: false },
    { object: 'list', data: [{ id: '', created: 1 }], has_more: false },
    { object: 'event', data: {}, has_more: false },
    {
      object: 'list',
      data: Array.from({ length: 101 }, (_, nth) => ({ id: `evt_${nth}`, created: 1 })),
      has_more: true,
    },
    { object: 'list', data: [], has_more: true },
  ])('with an answer that is no page ends the reading: %o', async (body) => {
    api.answerNext(answer(200, body));
    await expect(firstPage()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('with the page before ends the reading, which would have no end', async () => {
    const page = {
      object: 'list',
      data: [
        { id: 'evt_2', created: 2 },
        { id: 'evt_1', created: 1 },
      ],
      has_more: true,
    };
    api.answerNext(answer(200, page));
    api.answerNext(answer(200, page));
    const message = expect.stringContaining('a page that was read before');
    const second = Date.UTC(2026, 10, 2);
    await expect(readPage(requestOf(api, { since: second, until: second }))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message,
    });
  });

  test('with ever new records of one second ends the reading', async () => {
    let count = 0;
    const endless: typeof fetch = async () => {
      const data = Array.from({ length: 100 }, (_, nth) => ({ id: `evt_${count}_${nth}`, created: 1 }));
      count += 1;
      return Response.json({ object: 'list', data, has_more: true });
    };
    const second = Date.UTC(2026, 10, 2);
    const request = requestOf(api, { since: second, until: second, fetch: endless });
    await expect(readPage(request)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('a second that has no end'),
    });
    expect(count).toBe(101);
  });

  test.each(['', 'orders', 'events_of_yesterday evt_1'])('to continue at %o ends the reading', async (cursor) => {
    const message = expect.stringContaining('begin again');
    await expect(readPage(requestOf(api, { cursor }))).rejects.toMatchObject({ code: 'VALIDATION_ERROR', message });
  });

  test.each([
    [401, 'Invalid API Key provided'],
    [403, 'Having the rak_event_read permission would allow this request to continue'],
  ])('with status %i names the permission, and not the access token', async (status, reason) => {
    api.answerNext(answer(status, { error: { message: `${reason}: ${ACCESS_TOKEN}` } }));
    const message = `Stripe refused the access token for events (${status}): check it; it needs the permission Read for all Core, Checkout and Billing resources`;
    await expect(firstPage()).rejects.toMatchObject({ code: 'VALIDATION_ERROR', message });
  });

  test('for another reason tells what Stripe says, without the access token', async () => {
    api.answerNext(answer(400, { error: { message: `No such event with ${ACCESS_TOKEN}` } }));
    const message = 'Stripe answered the request for events with status 400: No such event with …';
    await expect(firstPage()).rejects.toMatchObject({ code: 'VALIDATION_ERROR', message });
  });

  test('because nobody listens is temporary, and says why', async () => {
    const other = await openStripeApi();
    await other.close();
    await expect(readPage(requestOf(other))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'Stripe did not answer the request for events: the connection failed (ECONNREFUSED)',
    });
  });

  test('because the access token cannot be sent does not quote it', async () => {
    const accessToken = 'rk_live_with\na line';
    await expect(readPage(requestOf(api, { accessToken }))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.not.stringContaining('rk_live_with'),
    });
  });

  test('because the reading was ended does so at once', async () => {
    const ended = new AbortController();
    api.answerNext(() => ended.abort());
    const message = 'Stripe did not answer the request for events: the request was ended';
    await expect(readPage(requestOf(api, { signal: ended.signal }))).rejects.toMatchObject({ message });
    await expect(readPage(requestOf(api, { signal: AbortSignal.abort() }))).rejects.toMatchObject({ message });
  });

  test('because it takes 20 s is temporary', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(50));
    api.answerNext((response) => void response.write('{'));
    const message = 'Stripe did not answer the request for events: no answer within 20 s';
    await expect(firstPage()).rejects.toMatchObject({ code: 'UNAVAILABLE', message });
    expect(limits.mock.calls).toEqual([[20_000]]);
    limits.mockRestore();
  });
});

describe('the address', () => {
  test('may be another one, with a path', async () => {
    const other = await openStripeApi('/sandbox');
    other.add('events', { ...payloadOf('invoice.paid--renewal'), created: Date.UTC(2026, 10, 2) / 1000 });
    for (const path of ['/sandbox', '/sandbox/']) {
      const settings = stripe.settings.parse({ apiUrl: other.url + path });
      expect(await readAll(other, { settings })).toHaveLength(1);
    }
    expect(other.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${ACCESS_TOKEN}`,
      'stripe-version': '2026-10-28.endive',
    });
    await other.close();
  });

  test('is that of Stripe otherwise', async () => {
    const addresses: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      addresses.push(new URL(url).origin);
      return Response.json(LIST);
    });
    await readPage(requestOf(api, { settings: stripe.settings.parse({}) }));
    expect(new Set(addresses)).toEqual(new Set(['https://api.stripe.com']));
  });

  test('is not left for one to which the API redirects, which would get the access token', async () => {
    const requests: unknown[] = [];
    const other = await serveNode((request, response) => {
      requests.push(request.url);
      answer(200, LIST)(response);
    });
    for (const status of [301, 302, 307, 308]) {
      api.answerNext(answer(status, LIST, { location: `${other.url}/v1/events` }));
      await expect(firstPage()).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        message: `Stripe answered the request for events with status ${status}: a redirect, which is not followed`,
      });
    }
    expect(requests).toEqual([]);
    await other.close();
  });
});
